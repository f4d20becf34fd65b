/* test_sync_model.c - the fit of the model of barriers. */
#include "bench/sync/sync_model.h"
#include "tests/support/unit_test.h"

enum { CORES = 132, N = 7 };

static const int blocks[N] = {1, 4, 16, 64, 132, 264, 528};

static void rounds_of(const sync_model_t *model, double s[N])
{
    for (int k = 0; k < N; k++)
        s[k] = sync_model_at(model, blocks[k], CORES);
}

/* 4 blocks per multiprocessor: 0.5 + 0.3 + 0.25 + 528 * 0.001 + 3 * 0.2 */
static void a_round_is_the_sum_of_its_terms(void **state)
{
    const sync_model_t model = {{0.5, 0.3, 0.25, 0.001, 0.2}};

    (void)state;
    assert_float_equal(sync_model_at(&model, 1, CORES), 0.501, 1e-9);
    assert_float_equal(sync_model_at(&model, 8, CORES), 0.808, 1e-9);
    assert_float_equal(sync_model_at(&model, 528, CORES), 2.178, 1e-9);
}

static void terms_are_found_again(void **state)
{
    const sync_model_t of[] = {{{5e-7, 3e-7, 2e-7, 1e-9, 2e-7}},
                               {{2.9e-6, 0, 0, 0, 0}},
                               {{4e-7, 0, 1e-7, 5e-10, 1e-7}}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        double s[N];

        rounds_of(&of[k], s);
        const sync_model_t got = sync_model_fit(blocks, s, N, CORES);

        for (int i = 0; i < SYNC_MODEL_TERMS; i++)
            assert_float_equal(got.s[i] * 1e6, of[k].s[i] * 1e6, 1e-4);
    }
}

/* More blocks that take less time: no term is negative. */
static void no_term_is_negative(void **state)
{
    const double s[N] = {2e-6, 1.95e-6, 1.9e-6, 1.8e-6, 1.7e-6, 1.6e-6, 1.5e-6};
    const sync_model_t got = sync_model_fit(blocks, s, N, CORES);

    (void)state;
    for (int i = 0; i < SYNC_MODEL_TERMS; i++)
        assert_true(got.s[i] >= 0);
    assert_in_range((int)(got.s[SYNC_MODEL_FIXED] * 1e9), 1500, 2000);
}

/* As with one number of blocks. */
static void a_single_round_is_its_own_model(void **state)
{
    const double s = 1e-6;
    const int n = 16;
    const sync_model_t got = sync_model_fit(&n, &s, 1, CORES);

    (void)state;
    assert_float_equal(sync_model_at(&got, n, CORES) * 1e6, 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_is_the_sum_of_its_terms),
        cmocka_unit_test(terms_are_found_again),
        cmocka_unit_test(no_term_is_negative),
        cmocka_unit_test(a_single_round_is_its_own_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
