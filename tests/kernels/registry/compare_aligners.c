/*
 * compare_aligners.c - every alignment backend and traced alignments against scalar,
 * whose CIGARs are those of the definition: random sets, and spelled ones at the limits
 * of lanes and bands.
 */
#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/cpu/nw_trace.h"
#include "kernels/registry/backends.h"
#include "tests/kernels/registry/comparison.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- how a case is computed ---- */

typedef struct {
    seqset_t *set;
    pair_t *pairs;
    int64_t n;
    align_spec_t spec; /* emit is the way's */
} case_t;

enum { TRACED = 5, TRACED_FROM_ENDS = 6 };

static const char *const ways[] = {"scores in bands",          "identities in bands",
                                   "CIGARs in bands",          "scores without bands",
                                   "identities without bands", "traced",
                                   "traced from known ends",   NULL};

/* nw_trace.c, which is in no table: backends use it. */
static const backend_t tracer = {"nw_trace", DEVICE_CPU, 1};
static const backend_t *const tracers[] = {&tracer, NULL};

static void open_columns(int64_t n, align_emit_t emit, pair_results_t *to, result_t *out)
{
    to->score = result_add(out, "score", VALUE_I32, n, 1, NULL, 0);
    if (emit == EMIT_SCORE)
        return;
    to->matches = result_add(out, "matches", VALUE_I32, n, 1, NULL, 0);
    to->columns = result_add(out, "columns", VALUE_I32, n, 1, NULL, 0);
}

/* CIGARs of the pairs so far. */
typedef struct {
    buf_t runs;
    int64_t *start;
} cigars_t;

static void add_cigar(cigars_t *c, int64_t pair, const uint32_t *runs, int64_t n)
{
    MUST(buf_append(&c->runs, runs, (size_t)n * sizeof(*runs)) == ST_OK);
    c->start[pair + 1] = c->start[pair] + n;
}

/* Copy what an aligner has for pairs first .. first + n - 1. */
static void take_slice(const pair_results_t *got, int64_t first, int64_t n,
                       const pair_results_t *to, cigars_t *cigars)
{
    const size_t bytes = (size_t)n * sizeof(int32_t);

    memcpy(to->score + first, got->score, bytes);
    if (to->matches != NULL) {
        memcpy(to->matches + first, got->matches, bytes);
        memcpy(to->columns + first, got->columns, bytes);
    }
    MUST((got->cigar_start != NULL) == (cigars->start != NULL));
    for (int64_t i = 0; cigars->start != NULL && i < n; i++)
        add_cigar(cigars, first + i, got->cigar + got->cigar_start[i],
                  got->cigar_start[i + 1] - got->cigar_start[i]);
}

/* Align all pairs in batches of many sizes, one after the other: most, none, a third,
 * one, a tenth. */
static void align_all(const align_context_t *context, const char *kernel, const case_t *c,
                      result_t *out)
{
    const int64_t n = c->n, most = n - n / 3 - n / 10 - 1;
    const int64_t ends[] = {0, most, most, most + n / 3, most + n / 3 + 1, n};
    const align_emit_t emit = context->spec->emit;
    pair_results_t to = {0};
    cigars_t cigars = {0};
    aligner_t *a = NULL;

    if (emit == EMIT_CIGAR)
        cigars.start = calloc((size_t)n + 1, sizeof(int64_t));
    open_columns(n, emit, &to, out);
    MUST(aligner_create(context, &(aligner_options_t){.kernel = kernel}, &a) == ST_OK);
    MUST(strcmp(aligner_name(a), kernel) == 0);
    for (int k = 0; k < 5; k++) {
        const pair_batch_t batch = {c->pairs + ends[k], ends[k + 1] - ends[k]};
        pair_results_t got;

        MUST(aligner_submit(a, &batch) == ST_OK && aligner_wait(a, &got) == ST_OK);
        take_slice(&got, ends[k], batch.n, &to, &cigars);
    }
    aligner_destroy(a);
    if (emit == EMIT_CIGAR)
        result_add_runs(out, "CIGAR", n, (uint32_t *)(void *)cigars.runs.data,
                        cigars.start);
}

/* Compare the CIGARs of scalar, which nw_trace.c traces, with the definition, which takes
 * memory for all cells of a pair. */
static void check_definition(const case_t *c, const result_t *scalar)
{
    enum { CELLS_MAX = 1 << 20 };
    const result_column_t *cigar = result_find(scalar, "CIGAR");
    nw_values_t *cells = malloc(CELLS_MAX * sizeof(*cells));
    uint32_t *runs = malloc(CELLS_MAX * sizeof(*runs));

    MUST(cells != NULL && runs != NULL);
    for (int64_t i = 0; i < c->n; i++) {
        const int32_t q = c->pairs[i].query, r = c->pairs[i].target;
        const int64_t m = seqset_len(c->set, q), n = seqset_len(c->set, r);
        const int64_t n_runs = cigar->start[i + 1] - cigar->start[i];

        /* scores that results cannot hold: what is traced from them is not defined */
        if (n_runs == 0 || (m + 1) * (n + 1) > CELLS_MAX ||
            align_range(&c->spec, m, n).max > INT32_MAX)
            continue;
        MUST(nw_reference_cigar(&c->spec, seqset_letters(c->set, q), m,
                                seqset_letters(c->set, r), n, cells, runs) == n_runs);
        MUST(memcmp(runs, (uint32_t *)cigar->values + cigar->start[i],
                    (size_t)n_runs * sizeof(*runs)) == 0);
    }
    free(cells);
    free(runs);
}

static void expect(void *one, result_t *out)
{
    case_t *c = one;
    const device_t cpu = device_cpu();
    pool_t *pool = NULL;

    c->spec.emit = EMIT_CIGAR;
    MUST(pool_create(cpu.n_cores, &pool) == ST_OK);
    align_all(&(align_context_t){&cpu, pool, c->set, &c->spec, {0}}, "scalar", c, out);
    pool_destroy(pool);
    check_definition(c, out);
}

/* @return a few cells around the end of a local alignment */
static nw_trace_ends_t ends_around(int64_t m, int64_t n, const uint32_t *runs,
                                   int64_t n_runs, int64_t around)
{
    const cigar_margins_t outside = cigar_margins(runs, n_runs);
    const int64_t i = m - outside.query_right, j = n - outside.target_right;

    return (nw_trace_ends_t){.query_first = i > around ? i - around : 1,
                             .query_last = i + around < m ? i + around : m,
                             .target_first = j > around ? j - around : 1,
                             .target_last = j + around < n ? j + around : n};
}

/* Trace the pairs that have an alignment, from their known numbers. */
static void trace_all(const case_t *c, const setting_t *s, result_t *out)
{
    enum { AROUND = 5, STEPS = 3 };
    const result_column_t *score = result_find(s->expected, "score"),
                          *matches = result_find(s->expected, "matches"),
                          *columns = result_find(s->expected, "columns"),
                          *known = result_find(s->expected, "CIGAR");
    cigars_t cigars = {.start = calloc((size_t)c->n + 1, sizeof(int64_t))};
    nw_trace_t *t = NULL;

    MUST(nw_trace_create(&c->spec, NULL, s->device.simd, &t) == ST_OK);
    for (int64_t i = 0; i < c->n; i++) {
        const int32_t q = c->pairs[i].query, r = c->pairs[i].target;
        const int64_t m = seqset_len(c->set, q), n = seqset_len(c->set, r);
        const nw_cell_t cell = {((int32_t *)score->values)[i],
                                ((int32_t *)matches->values)[i],
                                ((int32_t *)columns->values)[i]};
        nw_trace_ends_t ends = {0};

        cigars.start[i + 1] = cigars.start[i];
        if (cell.columns == 0)
            continue;
        if (s->way == TRACED_FROM_ENDS)
            ends = ends_around(m, n, (uint32_t *)known->values + known->start[i],
                               known->start[i + 1] - known->start[i], i % STEPS * AROUND);
        MUST(nw_trace_pair(t, seqset_letters(c->set, q), m, seqset_letters(c->set, r), n,
                           &cell, s->way == TRACED ? NULL : &ends,
                           &cigars.runs) == ST_OK);
        cigars.start[i + 1] = (int64_t)(cigars.runs.len / sizeof(uint32_t));
    }
    nw_trace_destroy(t);
    result_add_runs(out, "CIGAR", c->n, (uint32_t *)(void *)cigars.runs.data,
                    cigars.start);
}

static computed_t compute(const void *one, const setting_t *s, result_t *out)
{
    const case_t *c = one;
    align_spec_t spec = c->spec;
    const align_context_t context = {
        &s->device, s->pool, c->set, &spec, {.band = s->way <= EMIT_CIGAR}};

    if ((s->row == &tracer) != (s->way >= TRACED) ||
        (s->way == TRACED_FROM_ENDS && spec.ends != ENDS_LOCAL))
        return NO_CASE;
    if (s->row == &tracer) {
        trace_all(c, s, out);
        return COMPUTED;
    }
    spec.emit = (align_emit_t)(s->way % 3);
    if (s->way > EMIT_CIGAR && s->device.simd < device_cpu().simd)
        return NO_CASE; /* bands make a difference, whatever the level */
    if (!aligner_backend_takes(aligner_backend(s->row), &context, 1, 1))
        return REFUSED;
    align_all(&context, s->row->name, c, out);
    return COMPUTED;
}

static void describe(const void *one, int64_t item, char text[COMPARISON_TEXT_BYTES])
{
    const case_t *c = one;
    const pair_t p = c->pairs[item];

    snprintf(text, COMPARISON_TEXT_BYTES, " (pair %d,%d of %d and %d bases)", p.query,
             p.target, (int)seqset_len(c->set, p.query),
             (int)seqset_len(c->set, p.target));
}

const comparison_kind_t compare_aligners = {.name = "align",
                                            .table = &aligner_table,
                                            .others = tracers,
                                            .reference = &scalar_backend.base,
                                            .by_level = true,
                                            .n_threads = (const int[]){1, 3, -1},
                                            .ways = ways,
                                            .expect = expect,
                                            .compute = compute,
                                            .describe = describe};

static void compare_one(comparison_t *comparison, const char *name, case_t *c)
{
    char text[RANDOM_SET_TEXT_BYTES];

    random_set_describe(&c->spec, text);
    comparison_case(comparison, name, text, c);
    seqset_destroy(c->set);
    free(c->pairs);
}

/* ---- random sets ---- */

static align_spec_t linear_spec(rng_t *rng, int k)
{
    (void)rng;
    return random_set_spec(k % RANDOM_SET_ALL_SPECS);
}

/* Gaps inside and at priced ends, of any costs, often with a matrix. */
static align_spec_t affine_spec(rng_t *rng, int k)
{
    align_spec_t spec = random_set_affine_spec(rng);

    spec.ends = (align_ends_t)(k % ENDS_LOCAL);
    return spec;
}

static align_spec_t protein_spec(rng_t *rng, int k)
{
    align_spec_t spec = random_set_protein_spec(rng);

    spec.ends = (align_ends_t)(k % ENDS_LOCAL);
    return spec;
}

static align_spec_t local_spec(rng_t *rng, int k)
{
    align_spec_t spec = k % 2 == 0 ? random_set_affine_spec(rng)
                                   : random_set_spec(k / 2 % RANDOM_SET_SPECS);

    spec.ends = ENDS_LOCAL;
    spec.min_overlap = (fraction_t){0, 1};
    return spec;
}

static align_spec_t matrix_spec(rng_t *rng, int k)
{
    align_spec_t spec = {.ends = (align_ends_t)(k % 3), .min_overlap = {1, 2}};
    score_matrix_t matrix;

    random_set_matrix(rng, &matrix);
    align_scoring_set_matrix(&spec.scoring, &matrix, -1 - 4 * (k % 9));
    return spec;
}

static align_spec_t matrix_or_protein_spec(rng_t *rng, int k)
{
    const align_spec_t of_proteins = protein_spec(rng, k);
    align_spec_t spec = of_proteins;
    score_matrix_t matrix;

    if (k % 3 != 0)
        return spec;
    random_set_matrix(rng, &matrix);
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, align_scoring_gap(&of_proteins.scoring));
    return spec;
}

/* A third with a matrix of DNA. */
static align_spec_t local_matrix_spec(rng_t *rng, int k)
{
    align_spec_t spec = matrix_or_protein_spec(rng, k);

    spec.ends = ENDS_LOCAL;
    spec.min_overlap = (fraction_t){0, 1};
    return spec;
}

/* Matches gain up to 120: a third of the pairs has scores beyond 16 bits. */
static align_spec_t high_local_spec(rng_t *rng, int k)
{
    align_spec_t spec = {.ends = ENDS_LOCAL, .min_overlap = {0, 1}};
    score_matrix_t matrix;

    random_set_matrix(rng, &matrix);
    for (uint8_t a = 1; a < DNA_SIZE; a++)
        matrix.score[a][a] = 120 - a;
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-20 - k, -1});
    return spec;
}

/* As in NUC.4.4: 5 and -4 for plain bases, and other scores for ambiguity codes.  Some
 * pairs have no codes, and are aligned by these two values. */
static align_spec_t two_valued_spec(rng_t *rng, int k)
{
    align_spec_t spec = {.ends = (align_ends_t)(k % ENDS_LOCAL),
                         .end_gap = {-2, -1},
                         .min_overlap = {1, 2}};
    score_matrix_t matrix;

    random_set_matrix(rng, &matrix);
    for (uint8_t a = 1; a < DNA_SIZE; a++)
        for (uint8_t b = 1; b < DNA_SIZE; b++)
            if (alphabet_is_base(ALPHABET_DNA, a) && alphabet_is_base(ALPHABET_DNA, b))
                matrix.score[a][b] = a == b ? 5 : -4;
    align_scoring_set_matrix(&spec.scoring, &matrix, -6);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){k % 8 < 4 ? -10 : -6, -6});
    return spec;
}

/* Gaps of one base are cheaper than mismatches, or long ones are: ties of either sign,
 * and more than 32 bits hold. */
static align_spec_t doubtful_local_spec(rng_t *rng, int k)
{
    static const align_gap_t gaps[] = {
        {-20, -2}, {-2, -2}, {-30, -1}, {-6, -6}, {-9, -8}};
    align_spec_t spec = {.ends = ENDS_LOCAL};

    (void)rng;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 5, k % 2 == 0 ? -4 : -6, -1);
    align_scoring_set_gap(&spec.scoring, gaps[k % 5]);
    return spec;
}

/* A matrix of `same` on its diagonal, and `other`. */
static void set_plain_matrix(align_spec_t *spec, int32_t same, int32_t other,
                             align_gap_t gap)
{
    score_matrix_t matrix = {.alphabet = ALPHABET_DNA};

    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            matrix.score[a][b] = a == b ? same : other;
    align_scoring_set_matrix(&spec->scoring, &matrix, gap.extend);
    align_scoring_set_gap(&spec->scoring, gap);
}

/* What follows the end of a lane must not gain, as mismatches do. */
static align_spec_t gaining_local_spec(rng_t *rng, int k)
{
    align_spec_t spec = {.ends = ENDS_LOCAL};

    (void)rng, (void)k;
    set_plain_matrix(&spec, 5, 1, (align_gap_t){-9, -2});
    return spec;
}

/* For two sequences of 1000 bases columns take 11 bits, matches 10, and scores of 10^9
 * per base 41: keys of more than 64 bits. */
static align_spec_t wide_key_spec(rng_t *rng, int k)
{
    align_spec_t spec = {.ends = (align_ends_t)(k % 3)};

    (void)rng;
    align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, 1000000000, -1000000000,
                      -999999999);
    if (k % 2 == 1)
        align_scoring_set_gap(&spec.scoring, (align_gap_t){-1999999999, -999999999});
    return spec;
}

typedef struct {
    const char *name;
    random_set_opts_t set;
    align_spec_t (*spec)(rng_t *rng, int k);
    int n_specs, min_specs, n_pairs; /* of each spec; 0: all, ordered by query, as in a
                                      * run: pairs of a query share the rows */
    bool is_long;
} random_row_t;

static const random_row_t random_rows[] = {
    {"tiny", {160, 1, 12, 50}, linear_spec, 45, 45, 1000, false},
    {"medium", {160, 1, 400, 30}, linear_spec, 45, 15, 160, false},
    {"large", {24, 1, 3000, 30}, linear_spec, 45, 5, 4, true},
    {"matrix, tiny", {160, 1, 12, 50}, matrix_spec, 6, 3, 500, false},
    {"matrix, medium", {160, 1, 400, 30}, matrix_spec, 9, 3, 50, false},
    {"matrix of two values", {160, 1, 400, 30}, two_valued_spec, 8, 8, 60, false},
    {"affine, tiny", {160, 1, 12, 50}, affine_spec, 60, 8, 300, false},
    {"affine, medium", {60, 1, 300, 30}, affine_spec, 40, 8, 50, false},
    /* with bands, and tiles of 16 x 16 to 4 x 4 that do not matter */
    {"affine, many tiles", {24, 200, 900, 30}, affine_spec, 12, 4, 16, true},
    {"affine, large", {16, 1, 2500, 30}, affine_spec, 6, 2, 4, true},
    {"local, tiny", {160, 1, 12, 50}, local_spec, 60, 6, 300, false},
    {"local, medium", {60, 1, 300, 30}, local_spec, 40, 6, 50, false},
    {"local, large", {16, 1, 2500, 30}, local_spec, 8, 2, 4, true},
    {"local, doubtful", {8, 1200, 1900, 0}, doubtful_local_spec, 5, 5, 6, true},
    {"local, mismatches gain", {60, 1, 90, 30}, gaining_local_spec, 1, 1, 200, false},
    {"protein, tiny", {160, 1, 12, 50}, protein_spec, 30, 4, 300, false},
    {"protein, medium", {60, 1, 300, 30}, protein_spec, 20, 4, 50, false},
    {"protein, large", {16, 1, 2500, 30}, protein_spec, 3, 1, 4, true},
    {"shared rows, 7", {7, 1, 60, 30}, matrix_or_protein_spec, 6, 2, 0, false},
    {"shared rows, 9", {9, 1, 90, 30}, matrix_or_protein_spec, 6, 2, 0, false},
    {"shared rows, 33", {33, 1, 60, 30}, matrix_or_protein_spec, 6, 1, 0, false},
    {"shared rows, 66", {66, 1, 20, 30}, matrix_or_protein_spec, 6, 1, 0, true},
    {"local, shared rows, 9", {9, 1, 90, 30}, local_matrix_spec, 6, 3, 0, false},
    {"local, shared rows, 66", {66, 1, 150, 30}, local_matrix_spec, 6, 1, 0, true},
    {"local, shared rows beyond 8 bits",
     {20, 100, 300, 10},
     local_matrix_spec,
     3,
     3,
     0,
     false},
    {"local, shared rows beyond 16 bits",
     {10, 300, 900, 5},
     high_local_spec,
     2,
     1,
     0,
     true},
    {"wide keys", {4, 1000, 1100, 30}, wide_key_spec, 6, 1, 8, false},
};

/* Case k of a row, drawn by itself: it is the same whichever others are made. */
static void compare_random(comparison_t *comparison, const random_row_t *row, int k,
                           int64_t n_pairs)
{
    rng_t rng = rng_seed((uint64_t)((row - random_rows) * 1000 + k));
    case_t c = {.spec = row->spec(&rng, k), .n = n_pairs};
    char name[64];

    c.spec.join_columns = k / 4 % 2 == 1;
    MUST((c.spec.scoring.alphabet == ALPHABET_PROTEIN
              ? random_set_create_proteins
              : random_set_create)(&rng, &row->set, &c.set) == ST_OK);
    if (row->n_pairs == 0)
        c.n = row->set.n * row->set.n;
    MUST((c.pairs = calloc((size_t)c.n, sizeof(pair_t))) != NULL);
    random_set_pairs(&rng, c.set, c.n, c.pairs);
    for (int64_t i = 0; row->n_pairs == 0 && i < c.n; i++)
        c.pairs[i] = (pair_t){(int32_t)(i / row->set.n), (int32_t)(i % row->set.n)};
    snprintf(name, sizeof(name), "%s, %d", row->name, k);
    compare_one(comparison, name, &c);
}

/* At small scales first the pairs get fewer, then the specs. */
static void compare_random_row(comparison_t *comparison, const random_row_t *row)
{
    enum { MIN_PAIRS = 2 };
    const int per_spec = row->n_pairs > 0 ? row->n_pairs : 1;
    const int n = random_set_count(row->n_specs * per_spec);
    const int n_specs = n / per_spec > row->min_specs ? n / per_spec : row->min_specs;

    for (int k = 0; comparison_has(comparison, row->name, row->is_long) && k < n_specs;
         k++)
        compare_random(comparison, row, k,
                       n / n_specs > MIN_PAIRS ? n / n_specs : MIN_PAIRS);
}

/* ---- spelled sets ---- */

enum {
    FREE = ALIGN_BIT(ENDS_FREE),
    COUNT = ALIGN_BIT(ENDS_COUNT),
    QUERY = ALIGN_BIT(ENDS_QUERY),
    PRICED = ALIGN_BIT(ENDS_PRICED),
    LOCAL = ALIGN_BIT(ENDS_LOCAL),
    LONG = ALIGN_BIT(ALIGN_N_ENDS), /* comparison_has */
    SIMPLE = FREE | COUNT | QUERY,
    GLOBAL = SIMPLE | PRICED
};

typedef struct {
    const char *name, *text; /* random_set_spell; all pairs (i, j) and (j, i), i < j */
    unsigned ends;           /* a case for each of these bits */
    int32_t match, mismatch;
    int32_t gaps[4]; /* open, extend; of priced ends likewise */
} spelled_row_t;

/* Limits of 8 and 16 bits: test_cell_layout.c. */
#define BYTES  "A90C ACA100 RA80C3 NA99"
#define AFFINE BYTES " G200A150C20 G190C20A100"

/* Overlaps that start far inside the longer sequence saturate a tie break. */
#define FAR   "G900A500C300 A500 A490C300 A300CA150 G30A500"
#define CLOSE "G90A50C30 A50 A49C30 A30CA15 G30A50"

/* A lane of 32 bits holds h, M and T of pairs whose scores are known.  Of 1,500 bases, h
 * needs 13 bits, and 19 are left for M and T: pairs with few matches, or an overlap far
 * inside the longer sequence, are doubtful. */
#define KNOWN       "G900A500C100 A600C900 A500G500C500 A1500 A1400C30"
#define SHORT_KNOWN "G90A50C10 A60C90 A50G50C50 A150 A140C3"

/* Bands are 64 columns wide.  Of the first two sequences, the best alignments leave one
 * by 86; of the runs of A, paths inside and outside of a band are equally good; the last
 * two sequences overlap far from the diagonal. */
#define LEAVING "G200A150C200 G200C200T150 A300 A400 A300G100 C250A100 A100T250"

/* Along the diagonal 140 mismatches cost as much as 2 gaps of 70 bases, and 70 matches
 * more than without them: 140 * (2 + 4) / 2 + 70 * 2 = 2 * (74 + 69 * 4).  The gaps lead
 * out of the band to either side. */
#define MORE_MATCHES "A150G70C100A150 A150C100G70A150"

/* The overlap of 260 bases ends in the last column, 40 rows before the last one, in rows
 * that paths enter the band's outside in: they must not affect the score there. */
#define BESIDE "A75G113T31A41T40 C40A75G113T31A41"

/* Nothing but overlaps of 12 or 13 bases, 9 with a mismatch, or none: pairs with at most
 * 12 matches' score skip bands and known scores. */
#define CHANCE "A400G12 G12C500 C300G13 G13T400 T4GT4A300 R250"

/* The same part ends in several rows and columns of one strip and of others, in one block
 * of columns and in others. */
#define EQUAL_ENDS                                               \
    "ACG ACGTACG ACGTTACGTACGTTTTTACG A300 A1 C70ACGTC70ACGTC9 " \
    "ACGTT90ACGTT200ACGT T3ACGTC64ACGT"

/* Scores of 40,000 and more. */
#define WIDE_LOCAL "ACGTGGATTCA40ACG300T80 TTACGTGGATTCA40ACG290T90G A5"

/* Unrelated sequences need all cells: 4601 lines of up to 2001 cells, more than
 * nw_trace.c keeps at once. */
#define BLOCKS "ACGT20C2000A7 TTACGT9G2500A7 C1900T20GA9"

static const spelled_row_t spelled_rows[] = {
    {"16 bits", "A64 A64 AC A32C", SIMPLE, 1000, -1, {-1, -1}},
    {"32 bits", "A65 A65 AC A32C", SIMPLE, 1000, -1, {-1, -1}},
    {"8 bits", BYTES, SIMPLE, 241, -3, {-7, -7}},
    {"16 bits", BYTES, SIMPLE, 242, -3, {-7, -7}},
    {"costs as a gap", BYTES, SIMPLE, -7, -11, {-7, -7}},
    {"costs more than a gap", BYTES, SIMPLE, -8, -11, {-7, -7}},
    {"16 bits of free ends", "A254 A254 AC A127C", FREE, 242, -5, {-7, -7}},
    {"32 bits of free ends", "A255 A255 AC A127C", FREE, 242, -5, {-7, -7}},
    {"32 bits of identity", "A166 AC A83C", COUNT, 100000, -7, {-9, -9}},
    {"64 bits of identity", "A167 AC A83C", COUNT, 100000, -7, {-9, -9}},
    {"32, free", "A126 AC A63C", FREE | QUERY, 100000, -7, {-9, -9}},
    {"64, free", "A127 AC A63C", FREE | QUERY, 100000, -7, {-9, -9}},
    {"32, counted", "A2046 A2046 AC A1023C", COUNT | LONG, 1000, -1, {-1, -1}},
    {"64, counted", "A2047 A2047 AC A1023C", COUNT | LONG, 1000, -1, {-1, -1}},
    {"32", "A1029 A1029 AC A514C", FREE | QUERY | LONG, 1000, -7, {-9, -9}},
    {"64", "A1030 A1030 AC A515C", FREE | QUERY | LONG, 1000, -7, {-9, -9}},
    {"doubtful", CLOSE, FREE | QUERY, 10000, -5, {-7, -7}},
    {"doubtful, 5, 7", FAR, FREE | QUERY | LONG, 4, -5, {-7, -7}},
    {"doubtful, 5, 8", FAR, FREE | QUERY | LONG, 4, -5, {-8, -8}},
    {"doubtful, 9, 5", FAR, FREE | QUERY | LONG, 2, -9, {-5, -5}},
    {"doubtful, 4, 4", FAR, FREE | QUERY | LONG, 3, -4, {-4, -4}},
    {"a key", "A3 AC9 A1024", SIMPLE, 4, -1000000, {-500001, -500001}},
    {"too long for a key", "A3 AC9 C2048", SIMPLE, 4, -1000000, {-500001, -500001}},
    {"short and long", "A C A2 A300 A4000", SIMPLE | LONG, 4, -5, {-7, -7}},
    {"shorter and longer", "A C A2 A300 A20000", FREE | LONG, 4, -5, {-7, -7}},
    {"leaving a band", LEAVING, FREE | QUERY | LONG, 2, -30, {-20, -2, -2, -1}},
    {"leaving a band", LEAVING, COUNT | PRICED | LONG, 2, -17, {-20, -2, -2, -1}},
    {"leaving a band", LEAVING, GLOBAL | LONG, 2, -4, {-20, -2, -2, -1}},
    {"leaving a band, linear", LEAVING, PRICED | LONG, 2, -30, {-20, -2, -1, -1}},
    {"leaving a band, linear", LEAVING, PRICED | LONG, 2, -17, {-20, -2, -1, -1}},
    {"leaving a band, linear", LEAVING, PRICED | LONG, 2, -4, {-20, -2, -1, -1}},
    {"leaving a band, dear", LEAVING, PRICED | LONG, 2, -30, {-20, -2, -30, -3}},
    {"leaving a band, dear", LEAVING, PRICED | LONG, 2, -17, {-20, -2, -30, -3}},
    {"leaving a band, dear", LEAVING, PRICED | LONG, 2, -4, {-20, -2, -30, -3}},
    {"more matches outside of a band", MORE_MATCHES, GLOBAL, 2, -4, {-74, -4, -2, -1}},
    /* Mismatches cost nothing.  Along the diagonal 100 matches are in 300 columns, in the
     * overlap of 200 bases there are 100, too. */
    {"fewer columns", "T100G100C100 G100A100C100", FREE | PRICED, 2, 0, {-90, -2}},
    {"overlap beside the last row", BESIDE, FREE, 2, -4, {-20, -2}},
    {"doubtful of known scores", KNOWN, COUNT | PRICED | LONG, 2, -4, {-20, -2, -2, -1}},
    {"doubtful of known scores", SHORT_KNOWN, GLOBAL, 2001, -4, {-20, -2, -2, -1}},
    {"overlaps by chance", CHANCE, FREE | PRICED, 2, -4, {-20, -2}},
    {"8 bits", AFFINE, PRICED, 2, -4, {-57, -2, -2, -1}},
    {"16 bits, open", AFFINE, PRICED, 2, -4, {-58, -2, -2, -1}},
    {"8 bits", AFFINE, PRICED | LONG, 2, -144, {-22, -2, -2, -1}},
    {"16 bits, mismatch", AFFINE, PRICED | LONG, 2, -145, {-22, -2, -2, -1}},
    {"8 bits", AFFINE, PRICED | LONG, 2, -5, {-22, -2, -22, -2}},
    {"16 bits, end's open", AFFINE, PRICED | LONG, 2, -5, {-22, -2, -23, -2}},
    {"16 bits, end", AFFINE, PRICED | LONG, 2, -5, {-22, -2, -22, -3}},
    {"equal ends", EQUAL_ENDS, LOCAL, 4, -5, {-7, -7}},
    {"equal ends, ties", EQUAL_ENDS, LOCAL, 1, -1, {-1, -1}},
    {"equal ends, affine", EQUAL_ENDS, LOCAL, 2, -4, {-20, -2}},
    {"32 bits, local", WIDE_LOCAL, LOCAL, 100, -150, {-200, -20}},
    {"two blocks", "C600A7 G700A7", FREE | COUNT, 4, -5, {-7, -7}},
    {"two blocks", "C600A7 G700A7", FREE | LOCAL, 4, -5, {-20, -2}},
    {"many blocks", BLOCKS, COUNT | LONG, 4, -5, {-7, -7}},
    {"many blocks", BLOCKS, FREE | LOCAL | LONG, 2, -30, {-3, -3}},
    {"many blocks", BLOCKS, PRICED | LONG, 4, -5, {-20, -2, -2, -1}},
};

static case_t spelled_case(const char *text)
{
    case_t c = {0};

    MUST(random_set_spell(text, &c.set) == ST_OK);
    MUST((c.pairs = calloc((size_t)(c.set->n * c.set->n), sizeof(pair_t))) != NULL);
    for (int32_t j = 1; j < c.set->n; j++)
        for (int32_t i = 0; i < j; i++) {
            c.pairs[c.n++] = (pair_t){i, j};
            c.pairs[c.n++] = (pair_t){j, i};
        }
    return c;
}

/* @return the ends of a row's cases: at small scales a long row has one of them, the next
 *         row another one */
static unsigned ends_of(const spelled_row_t *row)
{
    const int n = __builtin_popcount(row->ends & ~LONG);
    unsigned ends = row->ends & ~LONG;

    if ((row->ends & LONG) == 0 || random_set_count(n) == n)
        return ends;
    for (int64_t skip = (row - spelled_rows) % n; skip > 0; skip--)
        ends &= ends - 1;
    return ends & -ends;
}

static void compare_spelled_row(comparison_t *comparison, const spelled_row_t *row)
{
    for (int ends = 0; ends < ALIGN_N_ENDS; ends++) {
        case_t c;

        if ((ends_of(row) & ALIGN_BIT(ends)) == 0 ||
            !comparison_has(comparison, row->name, (row->ends & LONG) != 0))
            continue;
        c = spelled_case(row->text);
        c.spec = (align_spec_t){.ends = (align_ends_t)ends,
                                .end_gap = {row->gaps[2], row->gaps[3]},
                                .join_columns = ends == ENDS_COUNT};
        align_scoring_set(&c.spec.scoring, AMBIGUITY_N_MISMATCH, row->match,
                          row->mismatch, row->gaps[1]);
        align_scoring_set_gap(&c.spec.scoring, (align_gap_t){row->gaps[0], row->gaps[1]});
        compare_one(comparison, row->name, &c);
    }
}

/* N scores as much with A as a match: with a code in one sequence alone. */
static void compare_a_code_in_one_sequence(comparison_t *comparison)
{
    const char *name = "a code in one of two sequences";
    score_matrix_t matrix = {.alphabet = ALPHABET_DNA};
    case_t c;

    if (!comparison_has(comparison, name, false))
        return;
    c = spelled_case("NA5 A6 A3NA2 C3A3 NA299 A300 A150NA149 C100A200");
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            matrix.score[a][b] = a == b ? 5 : -4;
    matrix.score[CODE_N][1] = matrix.score[1][CODE_N] = 4;
    align_scoring_set_matrix(&c.spec.scoring, &matrix, -8);
    compare_one(comparison, name, &c);
}

void compare_aligners_cases(comparison_t *c)
{
    for (size_t k = 0; k < sizeof(random_rows) / sizeof(random_rows[0]); k++)
        compare_random_row(c, &random_rows[k]);
    for (size_t k = 0; k < sizeof(spelled_rows) / sizeof(spelled_rows[0]); k++)
        compare_spelled_row(c, &spelled_rows[k]);
    compare_a_code_in_one_sequence(c);
}
