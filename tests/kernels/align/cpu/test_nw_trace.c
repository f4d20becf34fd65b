/*
 * test_nw_trace.c - traced alignments of sequences too long for the definition add up to
 * the known numbers; shorter ones are compared with it (compare_aligners.c).
 */
#include "tests/support/unit_test.h"

#include "kernels/align/cpu/nw_trace.h"
#include "tests/support/random_set.h"

#include <stdlib.h>

/* Compute a pair's numbers by the definition. */
static nw_cell_t know(const align_spec_t *spec, const seqset_t *set, pair_t p)
{
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    nw_values_t *row = malloc((size_t)(n + 1) * sizeof(*row));
    nw_cell_t cell;

    assert_non_null(row);
    cell = nw_reference_pair(spec, seqset_letters(set, p.query), m,
                             seqset_letters(set, p.target), n, row);
    free(row);
    return cell;
}

static void trace(const align_spec_t *spec, const seqset_t *set, pair_t p,
                  const nw_cell_t *known, buf_t *runs)
{
    nw_trace_t *t = NULL;

    runs->len = 0;
    assert_int_equal(nw_trace_create(spec, NULL, device_cpu().simd, &t), ST_OK);
    assert_int_equal(nw_trace_pair(t, seqset_letters(set, p.query),
                                   seqset_len(set, p.query),
                                   seqset_letters(set, p.target),
                                   seqset_len(set, p.target), known, NULL, runs),
                     ST_OK);
    nw_trace_destroy(t);
}

/* Add up the columns of a CIGAR, without terminal gaps that are none. */
static void assert_consistent(const align_spec_t *spec, const seqset_t *set, pair_t p,
                              const nw_cell_t *known, const buf_t *runs)
{
    const uint32_t *run = (const uint32_t *)(const void *)runs->data;
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t n_runs = (int64_t)(runs->len / sizeof(*run)), i = 0, j = 0;
    nw_cell_t sum = {0, 0, 0};

    for (int64_t k = 0; k < n_runs; k++) {
        cigar_op_t op = cigar_run_op(run[k]);
        bool is_gap = op == CIGAR_I || op == CIGAR_D;
        bool at_end = is_gap && (k == 0 || k == n_runs - 1);
        bool is_terminal = at_end && !align_end_is_counted(spec, op == CIGAR_I);

        assert_true(k == 0 || cigar_run_op(run[k - 1]) != op);
        if (is_gap)
            sum.score += align_gap_score(at_end ? align_end_gap(spec, op == CIGAR_I)
                                                : align_scoring_gap(&spec->scoring),
                                         cigar_run_len(run[k]));
        for (int64_t len = cigar_run_len(run[k]); len > 0; len--) {
            if (!is_gap) {
                assert_int_equal(spec->scoring.is_match[a[i]][b[j]], op == CIGAR_EQ);
                sum.score += spec->scoring.score[a[i]][b[j]];
            }
            sum.matches += op == CIGAR_EQ;
            sum.columns += !is_terminal;
            i += op != CIGAR_D;
            j += op != CIGAR_I;
        }
    }
    assert_int_equal(i, seqset_len(set, p.query));
    assert_int_equal(j, seqset_len(set, p.target));
    assert_int_equal(sum.score, known->score);
    assert_int_equal(sum.matches, known->matches);
    assert_int_equal(sum.columns, known->columns);
}

static void cigars_of_long_sequences_add_up(void **state)
{
    rng_t rng = rng_seed(5);
    buf_t runs = {0};

    (void)state;
    for (int k = 0; k < 11; k += RANDOM_SET_DIVISOR) {
        align_spec_t spec =
            random_set_spec(k % 9 < 6 ? k % 9 : RANDOM_SET_SPECS + k % 9 - 6);
        seqset_t *set = NULL;
        pair_t p = {k % 5, 5};
        nw_cell_t known;

        assert_int_equal(
            random_set_create(&rng, &(random_set_opts_t){6, 3000, 9000 / CASE_STEP, 30},
                              &set),
            ST_OK);
        spec.emit = EMIT_CIGAR;
        if (k >= 9) {
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
            spec.end_gap = (align_gap_t){-2, -1};
            spec.ends = k % 2 == 0 ? ENDS_PRICED : spec.ends;
        }
        known = know(&spec, set, p);
        if (known.columns > 0) {
            trace(&spec, set, p, &known, &runs);
            assert_consistent(&spec, set, p, &known, &runs);
        }
        seqset_destroy(set);
    }
    buf_free(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cigars_of_long_sequences_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
