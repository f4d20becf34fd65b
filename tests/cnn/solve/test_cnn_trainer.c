/*
 * test_cnn_trainer.c - several ranks learn what one does, however their gradients are
 * divided.
 */
#include "tests/support/unit_test.h"

#include "tests/support/rank_train.h"

#include <math.h>
#include <string.h>

/* Layers whose gradients have 84 to 2,328 bytes, dropout, branches. */
static const char plain[] = "a = convolution 4 kernel=3 pad=1 relu\n"
                            "b = max 2\n"
                            "b1 = convolution 3 kernel=1 relu from=b\n"
                            "b2 = convolution 3 kernel=3 pad=1 from=b\n"
                            "c = concat from=b1,b2\n"
                            "d = linear 6 relu dropout\n"
                            "e = linear classes\n"
                            "f = softmax\n"
                            "[solver]\nmomentum = 0.9\ndecay = 0.001\n";

/* Like a part of GoogLeNet: batch norm behind each convolution, also in branches. */
static const char with_batch_norm[] =
    "a = convolution 4 kernel=3 pad=1 batch-norm relu\n"
    "b = max 2\n"
    "b1 = convolution 3 kernel=1 batch-norm relu from=b\n"
    "b2 = convolution 3 kernel=3 pad=1 batch-norm relu from=b\n"
    "c = concat from=b1,b2\n"
    "d = linear 6 batch-norm relu\n"
    "e = linear classes\n"
    "f = softmax\n"
    "[solver]\nmomentum = 0.9\ndecay = 0.001\n";

static const struct {
    int n_ranks;
    size_t bucket_bytes;
} cases[] = {{2, 0}, {3, 0}, {2, 4}, {3, 400}, {2, 2000}};

/* After 20 batches, to 0.00002 of the largest value: sums of 32-bit floats in another
 * order. */
static void expect_equal_learning(const char *layers, const char *kernel)
{
    device_t cpu[THREAD_GANG_RANKS_MAX];
    rank_train_t how = {.layers = layers,
                        .devices = cpu,
                        .kernel = kernel,
                        .n_ranks = 1,
                        .n_iterations = 20};
    rank_trained_t one, more;

    for (int r = 0; r < THREAD_GANG_RANKS_MAX; r++)
        cpu[r] = device_cpu();
    assert_int_equal(rank_train(&how, &one), ST_OK);
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        how.n_ranks = cases[k].n_ranks;
        how.bucket_bytes = cases[k].bucket_bytes;
        assert_int_equal(rank_train(&how, &more), ST_OK);
        assert_true(rank_trained_difference(&one, &more) < 2e-5);
        for (int r = 0; r < how.n_ranks; r++) {
            assert_memory_equal(more.values[r], more.values[0],
                                (size_t)more.n * sizeof(float));
            assert_true(fabs(more.loss[r] - one.loss[0]) < 1e-5);
            assert_true(more.accuracy[r] == one.accuracy[0]);
            assert_true(fabs(more.test_loss[r] - one.test_loss[0]) < 1e-5);
        }
        rank_trained_free(&more);
    }
    rank_trained_free(&one);
}

static void ranks_learn_what_one_does(void **state)
{
    (void)state;
    expect_equal_learning(plain, "cpu");
    expect_equal_learning(with_batch_norm, "cpu");
}

static void so_does_the_serial_backend(void **state)
{
    (void)state;
    expect_equal_learning(plain, "serial");
    expect_equal_learning(with_batch_norm, "serial");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_learn_what_one_does),
        cmocka_unit_test(so_does_the_serial_backend),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
