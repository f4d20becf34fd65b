/*
 * compare_edits.c - at each vector level the edit filter lets the pairs pass that the
 * edit distances of a plain matrix let pass.
 */
#include "kernels/align/edits/edit_filter.h"
#include "tests/kernels/align/edits/edit_filter_case.h"
#include "tests/kernels/registry/comparison.h"

#include <stdio.h>

enum { N_RESULTS = N_OVERLAPS * N_IDENTITIES };

typedef struct {
    seqset_t *set;
    pair_batch_t batch;
    align_spec_t spec; /* min_overlap is one of overlaps[] */
} case_t;

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
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);

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

static bool should_pass(const align_spec_t *spec, fraction_t overlap, fraction_t c,
                        int64_t m, int64_t n, const distances_t *d)
{
    int64_t shorter = m < n ? m : n, min_end = 1;
    bool passes = false;

    if (spec->ends == ENDS_COUNT)
        return is_within(c, d->row[n], m, n, 1);
    if (spec->ends == ENDS_FREE) {
        int64_t columns =
            (shorter * overlap.numerator + overlap.denominator - 1) / overlap.denominator;

        min_end = (columns * c.numerator + c.denominator - 1) / c.denominator;
        min_end = min_end > 1 ? min_end : 1;
    }
    for (int64_t j = 1; j <= n; j++)
        passes = passes || is_within(c, d->row[j], m, j, min_end);
    for (int64_t i = 1; i <= m && spec->ends == ENDS_FREE; i++)
        passes = passes || is_within(c, d->column[i], i, n, min_end);
    return passes;
}

/* Add a column for each minimum overlap and identity. @param keep  [N_RESULTS] out */
static void add_columns(int64_t n, result_t *out, uint8_t *keep[N_RESULTS])
{
    for (int k = 0; k < N_RESULTS; k++) {
        const fraction_t overlap = overlaps[k / N_IDENTITIES],
                         identity = identities[k % N_IDENTITIES];
        char name[64];

        snprintf(name, sizeof(name), "passes, overlap %d/%d, identity %d/%d",
                 (int)overlap.numerator, (int)overlap.denominator,
                 (int)identity.numerator, (int)identity.denominator);
        keep[k] = result_add(out, name, VALUE_U8, n, 1, NULL, 0);
    }
}

static void expect(void *one, result_t *out)
{
    const case_t *c = one;
    const size_t max_len = (size_t)seqset_max_len(c->set) + 1;
    distances_t d = {malloc(max_len * sizeof(int32_t)),
                     malloc(max_len * sizeof(int32_t))};
    uint8_t *keep[N_RESULTS];

    MUST(d.row != NULL && d.column != NULL);
    add_columns(c->batch.n, out, keep);
    for (int64_t i = 0; i < c->batch.n; i++) {
        const pair_t p = c->batch.pairs[i];

        measure(&c->spec, c->set, p, &d);
        for (int k = 0; k < N_RESULTS; k++)
            keep[k][i] =
                should_pass(&c->spec, overlaps[k / N_IDENTITIES],
                            identities[k % N_IDENTITIES], seqset_len(c->set, p.query),
                            seqset_len(c->set, p.target), &d);
    }
    free(d.row);
    free(d.column);
}

static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    uint8_t *keep[N_RESULTS];

    add_columns(c->batch.n, out, keep);
    for (int k = 0; k < N_RESULTS; k++) {
        align_spec_t spec = c->spec;

        spec.min_overlap = overlaps[k / N_IDENTITIES];
        MUST(edit_filter_case_run(
            &(align_context_t){&s->device, s->pool, c->set, &spec, {0}},
            identities[k % N_IDENTITIES], &c->batch, keep[k]));
    }
    return COMPUTED;
}

/* It is in no table: there is one per kind of device. */
static const backend_t filter = {"edit_filter", DEVICE_CPU, 1};

const comparison_kind_t compare_edits = {.name = "edits",
                                         .others =
                                             (const backend_t *const[]){&filter, NULL},
                                         .by_level = true,
                                         .n_threads = (const int[]){2, -1},
                                         .ways = (const char *const[]){"", NULL},
                                         .expect = expect,
                                         .compute = compute};

/* ---- cases ---- */

typedef struct {
    const char *name;
    random_set_opts_t set;
    int n_pairs;
    bool is_long;
} row_t;

static const row_t rows[] = {
    {"tiny", {64, 1, 12, 40}, 200, false},    {"short", {64, 1, 130, 50}, 200, false},
    {"medium", {48, 1, 400, 40}, 200, false}, {"genes", {48, 250, 400, 30}, 200, false},
    {"long", {24, 2000, 3000, 30}, 30, true},
};

/* @param k  of 12: three kinds of ends, each with three ways of ambiguity and a matrix */
static void compare_row(comparison_t *comparison, const row_t *row, int k)
{
    rng_t rng = rng_seed((uint64_t)((row - rows) * 12 + k));
    case_t c = {.spec = {.ends = (align_ends_t)(k % 3)}};
    const int64_t n = random_set_count(row->n_pairs * 10);
    pair_t *pairs;
    char text[RANDOM_SET_TEXT_BYTES];

    c.batch.n = n < row->n_pairs ? n : row->n_pairs;
    align_scoring_set(&c.spec.scoring, (align_ambiguity_t)(k / 3 % 3), 4, -5, -7);
    if (k / 3 == 3) {
        score_matrix_t matrix;

        random_set_matrix(&rng, &matrix);
        align_scoring_set_matrix(&c.spec.scoring, &matrix, -3);
    }
    MUST(random_set_create(&rng, &row->set, &c.set) == ST_OK);
    MUST((pairs = malloc((size_t)c.batch.n * sizeof(*pairs))) != NULL);
    random_set_pairs(&rng, c.set, c.batch.n, pairs);
    c.batch.pairs = pairs;
    random_set_describe(&c.spec, text);
    comparison_case(comparison, row->name, text, &c);
    seqset_destroy(c.set);
    free(pairs);
}

void compare_edits_cases(comparison_t *c)
{
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (int k = 0; k < (rows[r].is_long ? 3 : 12); k++)
            if (comparison_has(c, rows[r].name, rows[r].is_long))
                compare_row(c, &rows[r], k);
}
