/*
 * test_local_layout.c - keys of local alignments in few bits: what a key proves is the
 * reference's result, and what it does not prove is said to be in doubt.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/local_layout.h"
#include "kernels/align/common/nw_reference.h"
#include "tests/support/random_set.h"

#include <stdlib.h>

enum { LEN_MAX = 60, N_PAIRS = 3000 / RANDOM_SET_DIVISOR };

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest key of all local alignments, and of every cell within 0 .. max. */
static int64_t largest_key(const align_spec_t *spec, const local_layout_t *f, int64_t max,
                           const uint8_t *a, int64_t m, const uint8_t *b, int64_t n)
{
    const align_scoring_t *s = &spec->scoring;
    int64_t open = local_layout_step(f, s->gap_open, false, f->open);
    int64_t extend = local_layout_step(f, s->gap, false, f->extend);
    int64_t h[LEN_MAX + 1] = {0}, v[LEN_MAX + 1] = {0}, best = 0;

    for (int64_t i = 0; i < m; i++) {
        int64_t diagonal = 0, e = 0;

        for (int64_t j = 1; j <= n; j++) {
            uint8_t x = a[i], y = b[j - 1];
            int64_t step =
                local_layout_step(f, s->score[x][y], s->is_match[x][y], f->mismatch);
            int64_t cell = max_of(max_of(diagonal + step, e), max_of(v[j], 0));

            assert_true(diagonal + step + f->floor >= 0);
            assert_true(cell + f->floor <= max);
            e = max_of(e + extend, cell + open);
            v[j] = max_of(v[j] + extend, cell + open);
            assert_true(e + f->floor >= 0 && v[j] + f->floor >= 0);
            e = max_of(e, 0);
            v[j] = max_of(v[j], 0);
            diagonal = h[j];
            h[j] = cell;
            best = max_of(best, cell);
        }
    }
    return best;
}

typedef struct {
    int proved, doubtful;
} counts_t;

/* Compare a pair with the reference, in lanes of 0 .. max. */
static void try_pair(const align_spec_t *spec, int64_t max, const seqset_t *set, pair_t p,
                     counts_t *counts)
{
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    nw_values_t row[LEN_MAX + 1];
    nw_cell_t want = nw_reference_pair(spec, a, m, b, n, row), got;
    local_layout_t f;
    char text[RANDOM_SET_TEXT_BYTES];

    if (!local_layout_choose(spec, m, n, max, false, &f))
        return;
    if (!local_layout_split(&f, largest_key(spec, &f, max, a, m, b, n), &got.score,
                            &got.matches, &got.columns)) {
        assert_false(f.is_exact);
        counts->doubtful++;
        return;
    }
    counts->proved++;
    random_set_describe(spec, text);
    if (got.score != want.score || got.matches != want.matches ||
        got.columns != want.columns)
        fail_msg("%s, %d and %d bases, weight %d: %d %d %d, not %d %d %d", text, (int)m,
                 (int)n, (int)f.match_weight, (int)got.score, (int)got.matches,
                 (int)got.columns, (int)want.score, (int)want.matches, (int)want.columns);
}

static counts_t try_spec(rng_t *rng, const align_spec_t *spec, int64_t max)
{
    random_set_opts_t opts = {60, 1, LEN_MAX, 30};
    pair_t pairs[N_PAIRS / 10];
    counts_t counts = {0, 0};
    seqset_t *set = NULL;

    assert_int_equal(random_set_create(rng, &opts, &set), ST_OK);
    random_set_pairs(rng, set, N_PAIRS / 10, pairs);
    for (int k = 0; k < N_PAIRS / 10; k++)
        try_pair(spec, max, set, pairs[k], &counts);
    seqset_destroy(set);
    return counts;
}

/* Of all widths, so that weights are from too small to exact. */
static void what_is_proved_is_the_references_result(void **state)
{
    counts_t sum = {0, 0};
    rng_t rng = rng_seed(1);

    (void)state;
    for (int k = 0; k < 200 / RANDOM_SET_DIVISOR; k++) {
        align_spec_t spec = k % 2 == 0 ? random_set_affine_spec(&rng)
                                       : random_set_spec(k / 2 % RANDOM_SET_SPECS);
        counts_t counts;

        spec.ends = ENDS_LOCAL;
        counts = try_spec(&rng, &spec, INT64_C(1) << (14 + rng_below(&rng, 14)));
        sum.proved += counts.proved;
        sum.doubtful += counts.doubtful;
    }
    assert_true(sum.proved > 1000 / RANDOM_SET_DIVISOR);
    assert_true(sum.doubtful > 100 / RANDOM_SET_DIVISOR);
}

static void exact_layouts_leave_no_doubt(void **state)
{
    rng_t rng = rng_seed(2);

    (void)state;
    for (int k = 0; k < 20 / RANDOM_SET_DIVISOR; k++) {
        align_spec_t spec = random_set_affine_spec(&rng);
        counts_t counts;

        spec.ends = ENDS_LOCAL;
        counts = try_spec(&rng, &spec, INT64_MAX);
        assert_int_equal(counts.doubtful, 0);
    }
}

/* 32 bits suffice for 16S genes of 75 % identity by the default scores. */
static void genes_by_the_default_scores_are_proved(void **state)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_LOCAL};
    int64_t score, matches, columns, key;
    local_layout_t f;

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_true(local_layout_choose(&spec, 1550, 1600, UINT32_MAX, false, &f));
    key = f.score_weight * (1125 * 4 - 300 * 5 - 80 * 7) + f.match_weight * 1125 +
          300 * f.mismatch + 80 * f.extend;
    assert_true(local_layout_split(&f, key, &score, &matches, &columns));
    assert_int_equal(score, 1125 * 4 - 300 * 5 - 80 * 7);
    assert_int_equal(matches, 1125);
    assert_int_equal(columns, 1125 + 300 + 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_proved_is_the_references_result),
        cmocka_unit_test(exact_layouts_leave_no_doubt),
        cmocka_unit_test(genes_by_the_default_scores_are_proved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
