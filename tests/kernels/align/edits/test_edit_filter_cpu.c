/*
 * test_edit_filter_cpu.c - edit_filter_cpu.c: at each vector level, the pairs that pass
 * are those that the edit distances of a plain matrix let pass.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernels/align/edits/edit_filter_case.h"
#include "tests/support/pool_fixture.h"

/* The edit distances of a pair's ends. */
typedef struct {
    int32_t *row;    /* [n + 1] the last row */
    int32_t *column; /* [m + 1] the last column */
} distances_t;

static int32_t min_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Compute the plain matrix, row by row. */
static void measure(const align_spec_t *spec, const seqset_t *set, pair_t p,
                    distances_t *d)
{
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t m = len_of(set, p.query), n = len_of(set, p.target);

    for (int64_t j = 0; j <= n; j++)
        d->row[j] = spec->ends == ENDS_COUNT ? (int32_t)j : 0;
    d->column[0] = d->row[n];
    for (int64_t i = 1; i <= m; i++) {
        int32_t diagonal = d->row[0];

        d->row[0] = spec->ends == ENDS_FREE ? 0 : (int32_t)i;
        for (int64_t j = 1; j <= n; j++) {
            int32_t cell = diagonal + !spec->scoring.is_match[a[i - 1]][b[j - 1]];

            cell = min_of(cell, min_of(d->row[j], d->row[j - 1]) + 1);
            diagonal = d->row[j];
            d->row[j] = cell;
        }
        d->column[i] = d->row[n];
    }
}

/* @return whether c F <= (1 - c) min(i, j), with min(i, j) at least min_end */
static bool is_within(fraction_t c, int64_t edits, int64_t i, int64_t j, int64_t min_end)
{
    int64_t k = i < j ? i : j;

    return k >= min_end && edits * c.numerator <= (c.denominator - c.numerator) * k;
}

static bool should_pass(const align_spec_t *spec, fraction_t c, int64_t m, int64_t n,
                        const distances_t *d)
{
    fraction_t identity = spec->min_overlap;
    int64_t shorter = m < n ? m : n, min_end = 1;
    bool passes = false;

    if (spec->ends == ENDS_COUNT)
        return is_within(c, d->row[n], m, n, 1);
    if (spec->ends == ENDS_FREE) {
        int64_t overlap = (shorter * identity.numerator + identity.denominator - 1) /
                          identity.denominator;

        min_end = (overlap * c.numerator + c.denominator - 1) / c.denominator;
        min_end = min_end > 1 ? min_end : 1;
    }
    for (int64_t j = 1; j <= n; j++)
        passes = passes || is_within(c, d->row[j], m, j, min_end);
    for (int64_t i = 1; i <= m && spec->ends == ENDS_FREE; i++)
        passes = passes || is_within(c, d->column[i], i, n, min_end);
    return passes;
}

/* What passed of a batch, and what should have passed. */
typedef struct {
    const seqset_t *set;
    pair_batch_t batch;
    uint8_t *keep,
        *expected; /* [n] what passed; [N_OVERLAPS][N_IDENTITIES][n] what should */
    int64_t n_ruled_out, n_passed;
} check_t;

static void find_expected(check_t *c, const align_spec_t *spec)
{
    size_t max_len = (size_t)seqset_max_len(c->set) + 1;
    distances_t d = {malloc(max_len * sizeof(int32_t)),
                     malloc(max_len * sizeof(int32_t))};

    assert_true(d.row != NULL && d.column != NULL);
    for (int64_t i = 0; i < c->batch.n; i++) {
        pair_t p = c->batch.pairs[i];
        uint8_t *expected = c->expected + i;

        measure(spec, c->set, p, &d);
        for (int k = 0; k < N_OVERLAPS * N_IDENTITIES; k++, expected += c->batch.n) {
            align_spec_t one = *spec;

            one.min_overlap = overlaps[k / N_IDENTITIES];
            *expected =
                should_pass(&one, identities[k % N_IDENTITIES], len_of(c->set, p.query),
                            len_of(c->set, p.target), &d);
        }
    }
    free(d.row);
    free(d.column);
}

static void check_spec(check_t *c, const align_spec_t *spec)
{
    find_expected(c, spec);
    for (int k = 0; k < N_OVERLAPS * N_IDENTITIES; k++)
        for (int level = SIMD_NONE; level <= (int)device_cpu().simd; level++) {
            const uint8_t *expected = c->expected + k * c->batch.n;
            align_spec_t one = *spec;
            char text[TEXT_BYTES];

            one.min_overlap = overlaps[k / N_IDENTITIES];
            edit_filter_case_run(pool, level, c->set, &one, identities[k % N_IDENTITIES],
                                 &c->batch, c->keep);
            for (int64_t i = 0; i < c->batch.n; i++) {
                c->n_passed += expected[i];
                c->n_ruled_out += !expected[i];
                if (c->keep[i] == expected[i])
                    continue;
                random_set_describe(&one, text);
                fail_msg("%s, level %d, identity %d, overlap %d: pair %d,%d is %d", text,
                         level, k % N_IDENTITIES, k / N_IDENTITIES,
                         c->batch.pairs[i].query, c->batch.pairs[i].target, c->keep[i]);
            }
        }
}

static void begin(check_t *c, rng_t *rng, const seqset_t *set, int64_t n)
{
    pair_t *pairs = malloc((size_t)n * sizeof(*pairs));

    *c = (check_t){.set = set, .batch = {pairs, n}};
    c->keep = malloc((size_t)n);
    c->expected = malloc((size_t)(N_OVERLAPS * N_IDENTITIES * n));
    assert_true(pairs != NULL && c->keep != NULL && c->expected != NULL);
    random_set_pairs(rng, set, n, pairs);
}

static void end(check_t *c)
{
    free((void *)c->batch.pairs);
    free(c->keep);
    free(c->expected);
}

static void the_same_pairs_pass_as_by_a_plain_matrix(void **state)
{
    static const random_set_opts_t kinds[] = {{64, 1, 12, 40},
                                              {64, 1, 130, 50},
                                              {48, 1, 400, 40},
                                              {48, 250, 400, 30}};
    const int64_t n = 200 / RANDOM_SET_DIVISOR;
    rng_t rng = rng_seed(21);
    int64_t n_ruled_out = 0, n_passed = 0;

    (void)state;
    for (int k = 0; k < 48; k++) {
        align_spec_t spec = {.ends = (align_ends_t)(k % 3)};
        score_matrix_t matrix;
        seqset_t *set;
        check_t c;

        align_scoring_set(&spec.scoring, (align_ambiguity_t)(k / 3 % 4 % 3), 4, -5, -7);
        random_set_matrix(&rng, &matrix);
        if (k / 3 % 4 == 3)
            align_scoring_set_matrix(&spec.scoring, &matrix, -3);
        assert_int_equal(random_set_create(&rng, &kinds[k / 12], &set), ST_OK);
        begin(&c, &rng, set, n);
        check_spec(&c, &spec);
        n_ruled_out += c.n_ruled_out;
        n_passed += c.n_passed;
        end(&c);
        seqset_destroy(set);
    }
    assert_true(n_ruled_out > 10000 &&
                n_passed > 10000); /* otherwise nothing was tested */
}

static void the_same_long_pairs_pass_as_by_a_plain_matrix(void **state)
{
    const random_set_opts_t opts = {24, 2000, 3000, 30};
    rng_t rng = rng_seed(22);
    seqset_t *set;
    check_t c;

    (void)state;
    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    begin(&c, &rng, set, 30 / RANDOM_SET_DIVISOR);
    for (int k = 0; k < 3; k++) {
        align_spec_t spec = {.ends = (align_ends_t)k};

        align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
        check_spec(&c, &spec);
    }
    end(&c);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_pairs_pass_as_by_a_plain_matrix),
        cmocka_unit_test(the_same_long_pairs_pass_as_by_a_plain_matrix)};

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
