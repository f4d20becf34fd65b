/*
 * test_comp_align.c - tests that alignments with scores for compositions are those of the
 * reference with the same scores.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "kernels/align/composition/comp_align.h"

#include <stdlib.h>
#include <string.h>

enum { LEN_MAX = 120, N_PAIRS = 60 };

static simd_level_t level; /* that the tests use */

typedef struct {
    align_spec_t spec;
    comp_law_t law;
    comp_align_t *align;
} case_t;

static int set_up(void **state)
{
    static case_t c;
    score_matrix_t matrix;

    c.spec =
        (align_spec_t){.emit = EMIT_CIGAR, .ends = ENDS_LOCAL, .min_overlap = {0, 1}};
    if (!named_matrix_find("BLOSUM62", &matrix))
        return -1;
    align_scoring_set_matrix(&c.spec.scoring, &matrix, -1);
    align_scoring_set_gap(&c.spec.scoring, (align_gap_t){-12, -1});
    *state = &c;
    return comp_law_find(&c.spec.scoring, &c.law) &&
                   comp_align_create(&c.spec, &c.law, COMP_ADJUST, NULL, level,
                                     &c.align) == ST_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    comp_align_destroy(((case_t *)*state)->align);
    return 0;
}

/* Of a few letters of every kind, and of a part of another protein. */
static int64_t make_protein(rng_t *rng, const uint8_t *like, int64_t n_like, uint8_t *out)
{
    const int64_t n = 1 + (int64_t)rng_below(rng, LEN_MAX);
    const uint64_t kinds = 3 + rng_below(rng, 25);

    for (int64_t i = 0; i < n; i++)
        out[i] = i < n_like && rng_below(rng, 4) > 0
                     ? like[i]
                     : (uint8_t)(1 + rng_below(rng, kinds));
    return n;
}

static void assert_as_reference(case_t *c, const uint8_t *a, int64_t m, const uint8_t *b,
                                int64_t n)
{
    nw_values_t *cells = malloc((size_t)((m + 1) * (n + 1)) * sizeof(*cells));
    uint32_t *want = malloc((size_t)(m + n) * sizeof(*want));
    nw_cell_t got, reference;
    buf_t runs = {0};
    int64_t n_runs;

    assert_non_null(cells);
    assert_non_null(want);
    comp_align_set(c->align, a, m, b, n);
    assert_int_equal(comp_align_pair(c->align, a, m, b, n, &got), ST_OK);
    reference = nw_reference_query_is_rows(a, m, b, n)
                    ? nw_reference_pair(comp_align_spec(c->align), a, m, b, n, cells)
                    : nw_reference_pair(comp_align_spec(c->align), b, n, a, m, cells);
    assert_int_equal(got.score, reference.score);
    assert_int_equal(got.matches, reference.matches);
    assert_int_equal(got.columns, reference.columns);
    if (got.columns > 0) {
        n_runs = nw_reference_cigar(comp_align_spec(c->align), a, m, b, n, cells, want);
        assert_int_equal(comp_align_trace(c->align, a, m, b, n, &got, &runs), ST_OK);
        assert_int_equal(runs.len, (size_t)n_runs * sizeof(*want));
        assert_memory_equal(runs.data, want, runs.len);
    }
    buf_free(&runs);
    free(cells);
    free(want);
}

static void alignments_are_those_of_the_reference(void **state)
{
    rng_t rng = rng_seed(3);
    uint8_t a[LEN_MAX], b[LEN_MAX];

    for (int k = 0; k < N_PAIRS; k++) {
        const int64_t m = make_protein(&rng, a, 0, a), n = make_protein(&rng, a, m, b);

        assert_as_reference(*state, a, m, b, n);
    }
}

static void a_pair_and_its_mirror_image_have_equal_numbers(void **state)
{
    case_t *c = *state;
    rng_t rng = rng_seed(4);
    uint8_t a[LEN_MAX], b[LEN_MAX];

    for (int k = 0; k < N_PAIRS; k++) {
        const int64_t m = make_protein(&rng, a, 0, a), n = make_protein(&rng, a, m, b);
        nw_cell_t one, other;

        comp_align_set(c->align, a, m, b, n);
        assert_int_equal(comp_align_pair(c->align, a, m, b, n, &one), ST_OK);
        comp_align_set(c->align, b, n, a, m);
        assert_int_equal(comp_align_pair(c->align, b, n, a, m, &other), ST_OK);
        assert_int_equal(one.score, other.score);
        assert_int_equal(one.matches, other.matches);
        assert_int_equal(one.columns, other.columns);
    }
}

static void residues_without_scores_above_0_have_no_alignment(void **state)
{
    static const uint8_t x[] = {CODE_X, CODE_X, CODE_X};
    case_t *c = *state;
    nw_cell_t cell;

    comp_align_set(c->align, x, 3, x, 3);
    assert_int_equal(comp_align_pair(c->align, x, 3, x, 3, &cell), ST_OK);
    assert_int_equal(cell.score, 0);
    assert_int_equal(cell.matches, 0);
    assert_int_equal(cell.columns, 0);
}

static void scores_are_rounded_to_whole_ones(void **state)
{
    (void)state;
    assert_int_equal(comp_align_round(0), 0);
    assert_int_equal(comp_align_round(COMP_UNIT / 2 - 1), 0);
    assert_int_equal(comp_align_round(COMP_UNIT / 2), 1);
    assert_int_equal(comp_align_round(7 * COMP_UNIT), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignments_are_those_of_the_reference),
        cmocka_unit_test(a_pair_and_its_mirror_image_have_equal_numbers),
        cmocka_unit_test(residues_without_scores_above_0_have_no_alignment),
        cmocka_unit_test(scores_are_rounded_to_whole_ones),
    };

    int n_failed = 0;

    for (level = SIMD_NONE; level <= device_cpu().simd; level++)
        n_failed += cmocka_run_group_tests(tests, set_up, tear_down);
    return n_failed;
}
