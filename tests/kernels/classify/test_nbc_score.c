/*
 * test_nbc_score.c - how often a read is scored: once, in the orientation with the lower
 * bounds, and again only if the other one is better.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/nbc_score.h"
#include "kernels/classify/simd/nbc_rows.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/spelled_set.h"

static int n_bounds; /* of resamples: one per scoring of a read */

static void count_bound(const nbc_resamples_t *t)
{
    n_bounds++;
    nbc_rows_plain.bound(t);
}

/* Score a read of one word. @param reversed  its reverse complement
 * @return its result; n_bounds says how often it was scored */
static nbc_best_t score(const char *refs, uint16_t word, uint16_t reversed)
{
    const int32_t parent[] = {-1, 0, 0}, taxon_of[] = {1, 2};
    const nbc_rows_t rows = {nbc_rows_plain.add, nbc_rows_plain.resample, count_bound};
    nbc_read_t read = {1, NBC_STRANDS, {&word, &reversed}, {1, 2}};
    seqset_t *set = spelled_set(refs);
    nbc_scratch_t *scratch;
    nbc_results_t results;
    nbc_matrix_t matrix;
    nbc_case_t model;
    nbc_best_t best;

    n_bounds = 0;
    assert_int_equal(nbc_case_create(set, parent, 3, taxon_of, NULL, &model), ST_OK);
    assert_int_equal(nbc_matrix_of_model(model.model, NULL, &matrix), ST_OK);
    assert_int_equal(nbc_scratch_create(&scratch), ST_OK);
    assert_int_equal(nbc_results_create(1, model.classes.n_ranks, &results), ST_OK);
    const nbc_scorer_t scorer = {{&matrix, &matrix},
                                 &model.classes,
                                 &rows,
                                 {.n_resamples = 9}};
    assert_int_equal(nbc_score(&scorer, &read, 1, scratch, 0, &results), ST_OK);
    best = results.best[0];
    nbc_results_free(&results);
    nbc_scratch_destroy(scratch);
    nbc_matrix_free(&matrix);
    nbc_case_free(&model);
    seqset_destroy(set);
    return best;
}

/* AAAAAAAA is word 0, CCCCCCCC 0x5555, GGGGGGGG 0xaaaa, TTTTTTTT 0xffff. */
static void a_read_is_scored_in_the_better_orientation_only(void **state)
{
    (void)state;
    assert_false(score("a AAAAAAAA b CCCCCCCC", 0, 0xffff).reversed);
    assert_int_equal(n_bounds, 1);
    assert_true(score("a AAAAAAAA b CCCCCCCC", 0xffff, 0).reversed);
    assert_int_equal(n_bounds, 1);
}

/* ACGTACGT (0x1b1b) is its own reverse complement. */
static void a_tie_of_orientations_is_scored_forward_only(void **state)
{
    (void)state;
    assert_false(score("a ACGTACGT b CCCCCCCC", 0x1b1b, 0x1b1b).reversed);
    assert_int_equal(n_bounds, 1);
    assert_false(score("a AAAAAAAA b TTTTTTTT", 0, 0xffff).reversed);
    assert_int_equal(n_bounds, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_is_scored_in_the_better_orientation_only),
        cmocka_unit_test(a_tie_of_orientations_is_scored_forward_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
