/*
 * test_nw_trace.c - traced alignments equal the definition, at every SIMD level, with
 * keys of both widths, in one block and in many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/cpu/nw_trace.h"
#include "tests/support/random_set.h"

#include <stdlib.h>

enum { N_SEQUENCES = 60, N_PAIRS = 60 };

static simd_level_t widest; /* of this machine */

static seqset_t *random_sequences(rng_t *rng, int64_t len_min, int64_t len_max, int64_t n)
{
    random_set_opts_t opts = {.n = n,
                              .len_min = len_min,
                              .len_max = len_max,
                              .ambiguous_percent = 30};
    seqset_t *set = NULL;

    assert_int_equal(random_set_create(rng, &opts, &set), ST_OK);
    return set;
}

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

static void trace(const align_spec_t *spec, simd_level_t level, const seqset_t *set,
                  pair_t p, const nw_cell_t *known, const nw_trace_ends_t *ends,
                  buf_t *runs)
{
    nw_trace_t *t = NULL;

    runs->len = 0;
    assert_int_equal(nw_trace_create(spec, NULL, level, &t), ST_OK);
    assert_int_equal(nw_trace_pair(t, seqset_letters(set, p.query),
                                   seqset_len(set, p.query),
                                   seqset_letters(set, p.target),
                                   seqset_len(set, p.target), known, ends, runs),
                     ST_OK);
    nw_trace_destroy(t);
}

/* @return the definition's runs, as bytes */
static buf_t define(const align_spec_t *spec, const seqset_t *set, pair_t p)
{
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target), n_runs;
    nw_values_t *cells = malloc((size_t)((m + 1) * (n + 1)) * sizeof(*cells));
    uint32_t *runs = malloc((size_t)(m + n) * sizeof(*runs));
    buf_t out = {0};

    assert_non_null(cells);
    assert_non_null(runs);
    n_runs = nw_reference_cigar(spec, seqset_letters(set, p.query), m,
                                seqset_letters(set, p.target), n, cells, runs);
    assert_int_equal(buf_append(&out, runs, (size_t)n_runs * sizeof(*runs)), ST_OK);
    free(cells);
    free(runs);
    return out;
}

static void fail_pair(const align_spec_t *spec, const seqset_t *set, pair_t p,
                      simd_level_t level, const buf_t *got, const buf_t *want)
{
    buf_t text[2] = {{0}, {0}};
    char described[RANDOM_SET_TEXT_BYTES];

    random_set_describe(spec, described);
    for (int k = 0; k < 2; k++) {
        const buf_t *runs = k == 0 ? got : want;

        assert_int_equal(cigar_append_text((const uint32_t *)(const void *)runs->data,
                                           (int64_t)(runs->len / sizeof(uint32_t)),
                                           CIGAR_STYLE_EQX, &text[k]),
                         ST_OK);
        assert_int_equal(buf_append(&text[k], "", 1), ST_OK);
    }
    fail_msg("%s, %s: %d,%d of %d and %d bases: %s, not %s", described,
             device_simd_name(level), p.query, p.target, (int)seqset_len(set, p.query),
             (int)seqset_len(set, p.target), (char *)text[0].data, (char *)text[1].data);
}

/* @return a few cells around the end of a local alignment */
static nw_trace_ends_t ends_around(const seqset_t *set, pair_t p, const buf_t *runs,
                                   int64_t around)
{
    cigar_margins_t outside = cigar_margins((const uint32_t *)(const void *)runs->data,
                                            (int64_t)(runs->len / sizeof(uint32_t)));
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    int64_t i = m - outside.query_right, j = n - outside.target_right;

    return (nw_trace_ends_t){.query_first = i > around ? i - around : 1,
                             .query_last = i + around < m ? i + around : m,
                             .target_first = j > around ? j - around : 1,
                             .target_last = j + around < n ? j + around : n};
}

static void assert_equals_definition(const align_spec_t *spec, const seqset_t *set,
                                     pair_t p)
{
    nw_cell_t known = know(spec, set, p);
    buf_t want, got = {0};

    if (known.columns == 0)
        return;
    want = define(spec, set, p);
    for (int level = SIMD_NONE; level <= (int)widest; level++) {
        trace(spec, (simd_level_t)level, set, p, &known, NULL, &got);
        if (got.len != want.len || memcmp(got.data, want.data, want.len) != 0)
            fail_pair(spec, set, p, (simd_level_t)level, &got, &want);
        for (int around = 0; spec->ends == ENDS_LOCAL && around < 12; around += 5) {
            nw_trace_ends_t ends = ends_around(set, p, &want, around);

            trace(spec, (simd_level_t)level, set, p, &known, &ends, &got);
            if (got.len != want.len || memcmp(got.data, want.data, want.len) != 0)
                fail_pair(spec, set, p, (simd_level_t)level, &got, &want);
        }
    }
    buf_free(&want);
    buf_free(&got);
}

static void assert_pairs_equal_definition(rng_t *rng, const align_spec_t *spec,
                                          int64_t len_max)
{
    seqset_t *set = random_sequences(rng, 1, len_max, N_SEQUENCES);
    align_spec_t joined = *spec;
    const int n = random_set_count(N_PAIRS);
    pair_t pairs[N_PAIRS];

    joined.join_columns = true;
    random_set_pairs(rng, set, n, pairs);
    for (int k = 0; k < n; k++) {
        assert_equals_definition(spec, set, pairs[k]);
        assert_equals_definition(&joined, set, pairs[k]);
        assert_equals_definition(spec, set, (pair_t){pairs[k].target, pairs[k].query});
    }
    seqset_destroy(set);
}

static void with_every_scoring_it_equals_the_definition(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int k = 0; k < RANDOM_SET_ALL_SPECS; k++) {
        align_spec_t spec = random_set_spec(k);

        spec.emit = EMIT_CIGAR;
        assert_pairs_equal_definition(&rng, &spec, 8);
        assert_pairs_equal_definition(&rng, &spec, 150);
    }
}

static void with_a_matrix_it_equals_the_definition(void **state)
{
    rng_t rng = rng_seed(2);
    score_matrix_t matrix;

    (void)state;
    for (int k = 0; k < 9; k++) {
        align_spec_t spec = {.emit = EMIT_CIGAR, .ends = (align_ends_t)(k % 3)};

        random_set_matrix(&rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 5 * k);
        assert_pairs_equal_definition(&rng, &spec, 8);
        assert_pairs_equal_definition(&rng, &spec, 150);
    }
}

/* Gaps inside, and at the ends: linear or affine, of any costs, with two scores or a
 * matrix. */
static void with_affine_gaps_and_priced_ends_it_equals_the_definition(void **state)
{
    rng_t rng = rng_seed(4);

    (void)state;
    for (int k = 0; k < 48 / RANDOM_SET_DIVISOR; k++) {
        align_spec_t spec = random_set_affine_spec(&rng);

        spec.emit = EMIT_CIGAR;
        if (k % 8 == 0)
            align_scoring_set_gap(&spec.scoring,
                                  (align_gap_t){spec.scoring.gap, spec.scoring.gap});
        if (k % 4 == 0) {
            spec.ends = ENDS_PRICED;
            spec.end_gap = (align_gap_t){-(k % 3), 0};
        }
        assert_pairs_equal_definition(&rng, &spec, 8);
        assert_pairs_equal_definition(&rng, &spec, 100);
    }
}

/* The parts that score best, in the whole matrix and in the window of their ends. */
static void local_alignments_equal_the_definition(void **state)
{
    rng_t rng = rng_seed(6);

    (void)state;
    for (int k = 0; k < 40 / RANDOM_SET_DIVISOR; k++) {
        align_spec_t spec =
            k % 2 == 0 ? random_set_affine_spec(&rng) : random_set_spec(k / 2);

        spec.emit = EMIT_CIGAR;
        spec.ends = ENDS_LOCAL;
        assert_pairs_equal_definition(&rng, &spec, 8);
        assert_pairs_equal_definition(&rng, &spec, 100);
    }
}

/* For two sequences of 1000 bases columns take 11 bits, matches 10, and scores of 10^9
 * per base 41. */
static void keys_beyond_64_bits_are_wider(void **state)
{
    rng_t rng = rng_seed(3);

    (void)state;
    for (int ends = ENDS_FREE; ends <= ENDS_QUERY; ends++) {
        align_spec_t spec = {.emit = EMIT_CIGAR, .ends = (align_ends_t)ends};
        seqset_t *set = random_sequences(&rng, 1000, 1100, 8);

        align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 1000000000, -1000000000,
                          -999999999);
        for (int32_t k = 0; k < 8; k += RANDOM_SET_DIVISOR)
            assert_equals_definition(&spec, set, (pair_t){k, (k + 1) % 8});
        align_scoring_set_gap(&spec.scoring, (align_gap_t){-1999999999, -999999999});
        for (int32_t k = 0; k < 4; k += RANDOM_SET_DIVISOR)
            assert_equals_definition(&spec, set, (pair_t){k, (k + 1) % 8});
        seqset_destroy(set);
    }
}

/* Unrelated sequences need all cells: 4601 lines of up to 2001 cells, more than are kept
 * at once. */
static void many_blocks_give_the_same_as_one(void **state)
{
    (void)state;
    for (int c = 0; c < 3 * ALIGN_N_ENDS; c += RANDOM_SET_DIVISOR) {
        const int k = c % 3, ends = c / 3;
        align_spec_t spec = random_set_spec(k % 2 == 0 ? 12 : 0);
        seqset_t *set = NULL;

        spec.emit = EMIT_CIGAR;
        spec.ends = (align_ends_t)ends;
        spec.end_gap = (align_gap_t){-2, -1};
        if (k == 2)
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
        assert_int_equal(random_set_spell("ACGT20C2000A7 TTACGT9G2500A7 C1900T20GA9",
                                          &set),
                         ST_OK);
        spec.join_columns = k == 1;
        assert_equals_definition(&spec, set, (pair_t){1, 2});
        if (k < 2 && ends <= ENDS_QUERY) {
            assert_equals_definition(&spec, set, (pair_t){0, 1});
            assert_equals_definition(&spec, set, (pair_t){2, 1});
        }
        seqset_destroy(set);
    }
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
        seqset_t *set = random_sequences(&rng, 3000, 9000, 6);
        pair_t p = {k % 5, 5};
        nw_cell_t known;

        spec.emit = EMIT_CIGAR;
        if (k >= 9) {
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-20, -2});
            spec.end_gap = (align_gap_t){-2, -1};
            spec.ends = k % 2 == 0 ? ENDS_PRICED : spec.ends;
        }
        known = know(&spec, set, p);
        if (known.columns > 0) {
            trace(&spec, widest, set, p, &known, NULL, &runs);
            assert_consistent(&spec, set, p, &known, &runs);
        }
        seqset_destroy(set);
    }
    buf_free(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_every_scoring_it_equals_the_definition),
        cmocka_unit_test(with_a_matrix_it_equals_the_definition),
        cmocka_unit_test(with_affine_gaps_and_priced_ends_it_equals_the_definition),
        cmocka_unit_test(local_alignments_equal_the_definition),
        cmocka_unit_test(keys_beyond_64_bits_are_wider),
        cmocka_unit_test(many_blocks_give_the_same_as_one),
        cmocka_unit_test(cigars_of_long_sequences_add_up),
    };

    widest = device_cpu().simd;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
