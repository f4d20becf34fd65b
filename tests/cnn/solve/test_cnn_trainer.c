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

/* Two addends have one sum, so that two ranks learn the same bytes. */
static void ranks_within_a_limit_learn_what_they_do_without(void **state)
{
    static const char *const nets[] = {plain, with_batch_norm}, *const kernels[] = {
                                                                    "cpu", "serial"};
    device_t cpu[THREAD_GANG_RANKS_MAX];

    (void)state;
    for (int r = 0; r < THREAD_GANG_RANKS_MAX; r++)
        cpu[r] = device_cpu();
    for (int k = 0; k < 8; k++) {
        const int n_ranks = 2 + k / 4;
        rank_train_t how = {.layers = nets[k % 2],
                            .devices = cpu,
                            .kernel = kernels[k / 2 % 2],
                            .n_ranks = n_ranks,
                            .n_iterations = 10};
        rank_trained_t whole, limited;

        assert_int_equal(rank_train(&how, &whole), ST_OK);
        how.is_limited = true;
        assert_int_equal(rank_train(&how, &limited), ST_OK);
        assert_true(rank_trained_difference(&whole, &limited) <=
                    (n_ranks == 2 ? 0 : 2e-5));
        for (int r = 0; r < n_ranks; r++) {
            assert_memory_equal(limited.values[r], limited.values[0],
                                (size_t)limited.n * sizeof(float));
            assert_true(fabs(limited.loss[r] - whole.loss[r]) <=
                        (n_ranks == 2 ? 0 : 1e-5));
            assert_true(limited.accuracy[r] == whole.accuracy[r]);
        }
        rank_trained_free(&whole);
        rank_trained_free(&limited);
    }
}

/* Parts of different sizes: losses, gradients and moments count by images. */
static void expect_equal_learning_of_parts(const char *layers, const char *kernel,
                                           int n_ranks, const int64_t *parts)
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
    how.n_ranks = n_ranks;
    how.parts = parts;
    assert_int_equal(rank_train(&how, &more), ST_OK);
    assert_true(rank_trained_difference(&one, &more) < 2e-5);
    for (int r = 0; r < n_ranks; r++) {
        assert_memory_equal(more.values[r], more.values[0],
                            (size_t)more.n * sizeof(float));
        assert_true(fabs(more.loss[r] - one.loss[0]) < 1e-5);
        assert_true(more.accuracy[r] == one.accuracy[0]);
        assert_true(fabs(more.test_loss[r] - one.test_loss[0]) < 1e-5);
    }
    rank_trained_free(&one);
    rank_trained_free(&more);
}

static void ranks_with_parts_of_different_sizes_learn_what_one_does(void **state)
{
    static const int64_t two[] = {11, 1}, three[] = {2, 7, 3};

    (void)state;
    expect_equal_learning_of_parts(plain, "cpu", 2, two);
    expect_equal_learning_of_parts(plain, "serial", 3, three);
    expect_equal_learning_of_parts(with_batch_norm, "cpu", 2, two);
    expect_equal_learning_of_parts(with_batch_norm, "cpu", 3, three);
    expect_equal_learning_of_parts(with_batch_norm, "serial", 2, two);
}

/* ---- ranks that are late ---- */

static rank_trained_t train_late(int64_t late_steps, int n_iterations)
{
    static const int64_t parts[] = {8, 4};
    device_t cpu[2] = {device_cpu(), device_cpu()};
    const rank_train_t how = {.layers = plain,
                              .devices = cpu,
                              .kernel = "cpu",
                              .n_ranks = 2,
                              .n_iterations = n_iterations,
                              .parts = parts,
                              .late_steps = late_steps};
    rank_trained_t out;

    assert_int_equal(rank_train(&how, &out), ST_OK);
    assert_memory_equal(out.values[0], out.values[1], (size_t)out.n * sizeof(float));
    return out;
}

/* @return whether two trainings gave the same bytes */
static bool are_equal(const rank_trained_t *a, const rank_trained_t *b)
{
    return memcmp(a->values[0], b->values[0], (size_t)a->n * sizeof(float)) == 0;
}

static void late_ranks_that_always_catch_up_are_in_time(void **state)
{
    rank_trained_t sync = train_late(0, 20), late = train_late(1, 20);

    (void)state;
    assert_true(are_equal(&sync, &late));
    rank_trained_free(&sync);
    rank_trained_free(&late);
}

static void late_gradients_are_reproducible_and_all_count(void **state)
{
    rank_trained_t sync = train_late(0, 20), late = train_late(8, 20),
                   again = train_late(8, 20), one = train_late(8, 1),
                   one_sync = train_late(0, 1);

    (void)state;
    assert_true(are_equal(&late, &again));
    assert_false(are_equal(&sync, &late));
    assert_true(rank_trained_difference(&sync, &late) < 0.1);
    assert_true(are_equal(&one, &one_sync)); /* the last one catches up */
    rank_trained_free(&sync);
    rank_trained_free(&late);
    rank_trained_free(&again);
    rank_trained_free(&one);
    rank_trained_free(&one_sync);
}

/* A score is that of 8 images on rank 0, and of 4 on rank 1. */
static void late_ranks_have_scores_of_their_own_images(void **state)
{
    rank_trained_t sync = train_late(0, 1), late = train_late(8, 1);

    (void)state;
    assert_true(fabs((8 * late.loss[0] + 4 * late.loss[1]) / 12 - sync.loss[0]) < 1e-5);
    assert_true(
        fabs(8 * late.accuracy[0] + 4 * late.accuracy[1] - 12 * sync.accuracy[0]) < 1e-9);
    assert_true(sync.loss[0] == sync.loss[1]);
    rank_trained_free(&sync);
    rank_trained_free(&late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_learn_what_one_does),
        cmocka_unit_test(so_does_the_serial_backend),
        cmocka_unit_test(ranks_within_a_limit_learn_what_they_do_without),
        cmocka_unit_test(ranks_with_parts_of_different_sizes_learn_what_one_does),
        cmocka_unit_test(late_ranks_that_always_catch_up_are_in_time),
        cmocka_unit_test(late_gradients_are_reproducible_and_all_count),
        cmocka_unit_test(late_ranks_have_scores_of_their_own_images),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
