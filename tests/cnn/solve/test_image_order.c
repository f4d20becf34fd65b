/*
 * test_image_order.c - every epoch takes each image once, in an order of its own.
 */
#include "tests/support/unit_test.h"

#include "cnn/solve/cnn_trainer.h"

enum { N = 100 };

static void every_epoch_takes_each_image_once(void **state)
{
    image_order_t o;

    (void)state;
    assert_int_equal(image_order_create(N, 7, &o), ST_OK);
    for (int epoch = 0; epoch < 3; epoch++) {
        int seen[N] = {0};

        for (int i = 0; i < N; i++)
            seen[image_order_at(&o, epoch * N + i)]++;
        for (int i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
    }
    image_order_free(&o);
}

static void the_order_follows_from_seed_and_epoch(void **state)
{
    image_order_t a, b, c;
    int n_moved = 0, n_epoch = 0, n_seed = 0;

    (void)state;
    assert_int_equal(image_order_create(N, 7, &a), ST_OK);
    assert_int_equal(image_order_create(N, 7, &b), ST_OK);
    assert_int_equal(image_order_create(N, 8, &c), ST_OK);
    image_order_at(&b, 5 * N); /* another way to the same place */
    for (int i = 0; i < N; i++) {
        const int64_t first = image_order_at(&a, i);

        assert_int_equal(image_order_at(&b, i), first);
        n_moved += first != i;
        n_seed += image_order_at(&c, i) != first;
    }
    for (int i = 0; i < N; i++)
        n_epoch += image_order_at(&a, N + i) != image_order_at(&b, i);
    assert_true(n_moved > N / 2 && n_epoch > N / 2 && n_seed > N / 2);
    image_order_free(&a);
    image_order_free(&b);
    image_order_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_epoch_takes_each_image_once),
        cmocka_unit_test(the_order_follows_from_seed_and_epoch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
