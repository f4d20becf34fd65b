/*
 * selftest_pairs.c - makes the pairs of `ribogrid selftest` and aligns them by the
 * reference.
 */
#include "tools/selftest_pairs.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/seq/alphabet.h"
#include "io/seq/simulate.h"
#include "kernels/align/cpu/nw_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Few sequences are long: the reference computes about 10^8 cells per second. */
enum {
    N_SHORT = 24,
    N_16S = 12,
    LONG = 5000,
    PAIR_CELLS_MAX = 16 << 20,
    SHORT_PAIR_CELLS = 300 * 300
};

static const struct {
    const char *name;
    align_ambiguity_t ambiguity;
    int32_t match, mismatch;
    align_gap_t gap;
} scorings[SELFTEST_SCORINGS] = {{"4/-5/-7", AMBIGUITY_N_MISMATCH, 4, -5, {-7, -7}},
                                 {"5/-4/-10", AMBIGUITY_MATCH, 5, -4, {-10, -10}},
                                 {"1/-1/-1", AMBIGUITY_MISMATCH, 1, -1, {-1, -1}},
                                 {"2/-4/-20/-2", AMBIGUITY_N_MISMATCH, 2, -4, {-20, -2}}};

static const align_gap_t end_gap = {-2, -1}; /* of ENDS_PRICED */

align_spec_t selftest_pairs_spec(int scoring, align_emit_t emit, align_ends_t ends)
{
    align_spec_t spec = {.emit = emit,
                         .ends = ends,
                         .end_gap = end_gap,
                         .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, scorings[scoring].ambiguity, scorings[scoring].match,
                      scorings[scoring].mismatch, scorings[scoring].gap.extend);
    align_scoring_set_gap(&spec.scoring, scorings[scoring].gap);
    return spec;
}

const char *selftest_pairs_scoring_name(int scoring)
{
    return scorings[scoring].name;
}

/* Add a sequence that repeats `letters` n times. */
static status_t add_repeat(seqset_builder_t *b, const char *letters, int64_t n)
{
    buf_t codes = {0};
    char name[64];
    int name_len = snprintf(name, sizeof(name), "%.12s... x %d", letters, (int)n);
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k++)
        for (const char *at = letters; st == ST_OK && *at != '\0'; at++) {
            uint8_t code = alphabet_code(ALPHABET_DNA, (unsigned char)*at);

            st = buf_append(&codes, &code, 1);
        }
    if (st == ST_OK)
        st = seqset_builder_add(b, name, (size_t)name_len, codes.data, codes.len);
    buf_free(&codes);
    return st;
}

/* Add a random sequence; one base in 20 is an ambiguity code. */
static status_t add_random(seqset_builder_t *b, rng_t *rng, int64_t len)
{
    uint8_t *codes = malloc((size_t)len);
    char name[32];
    int name_len = snprintf(name, sizeof(name), "random %d", (int)len);
    status_t st;

    if (codes == NULL)
        return log_nomem("sequences");
    for (int64_t i = 0; i < len; i++)
        codes[i] = rng_chance(rng, 1, 20) ? (uint8_t)(1 + rng_below(rng, CODE_N))
                                          : (uint8_t)(1 << rng_below(rng, 4));
    st = seqset_builder_add(b, name, (size_t)name_len, codes, (size_t)len);
    free(codes);
    return st;
}

static status_t add_simulated(seqset_builder_t *b, uint64_t seed, int64_t n, int64_t len)
{
    simulate_opts_t o = simulate_defaults();
    seqset_t *set;
    status_t st;

    o.n = n;
    o.length = len;
    o.seed = seed;
    if ((st = simulate_make(&o, &set)) != ST_OK)
        return st;
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = seqset_builder_add(b, seqset_name(set, i), strlen(seqset_name(set, i)),
                                seqset_letters(set, i), (size_t)seqset_len(set, i));
    seqset_destroy(set);
    return st;
}

static status_t make_set(uint64_t seed, seqset_t **out)
{
    static const struct {
        const char *letters;
        int n;
    } repeats[] = {{"A", 1},           {"C", 1},    {"N", 1},    {"R", 1},
                   {"A", 33},          {"C", 33},   {"N", 64},   {"A", 512},
                   {"AC", 700},        {"GT", 700}, {"ACGT", 8}, {"TGCA", 16},
                   {"RYSWKMBDHVN", 30}};
    static const int lens[] = {2, 31, 32, 65, 127, 300, 1500, 1501, LONG};
    seqset_builder_t b = {0};
    rng_t rng = rng_seed(seed);
    status_t st = add_simulated(&b, seed, N_16S, 1500);

    if (st == ST_OK)
        st = add_simulated(&b, seed + 1, N_SHORT, 250);
    for (size_t i = 0; st == ST_OK && i < sizeof(repeats) / sizeof(repeats[0]); i++)
        st = add_repeat(&b, repeats[i].letters, repeats[i].n);
    for (size_t i = 0; st == ST_OK && i < sizeof(lens) / sizeof(lens[0]); i++)
        st = add_random(&b, &rng, lens[i]);
    if (st == ST_OK)
        st = seqset_builder_finish(&b, out);
    seqset_builder_free(&b);
    return st;
}

/* Choose pairs: one of three among the short sequences, every second two neighbours among
 * the 16S-like ones, and one in 43 of the others; none that would take the reference
 * seconds. */
static bool is_pair(const seqset_t *set, int64_t i, int64_t k)
{
    double cells = (double)seqset_len(set, i) * (double)seqset_len(set, k);

    if (cells > PAIR_CELLS_MAX)
        return false;
    if (cells > SHORT_PAIR_CELLS)
        return i < N_16S && k < N_16S ? k == i + 1 && i % 2 == 0 : (i * 7 + k) % 43 == 0;
    return (i + k) % 3 == 0;
}

status_t selftest_pairs_make(uint64_t seed, selftest_pairs_t *out)
{
    status_t st = make_set(seed, &out->set);
    int64_t n = st == ST_OK ? out->set->n : 0;

    if (st != ST_OK)
        return st;
    if ((out->pairs = malloc((size_t)(n * n) * sizeof(*out->pairs))) == NULL)
        return log_nomem("pairs");
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            if (is_pair(out->set, i, k))
                out->pairs[out->n++] = (pair_t){(int32_t)i, (int32_t)k};
    return ST_OK;
}

typedef struct {
    const selftest_pairs_t *cases;
    align_spec_t spec;
    int32_t *score, *matches, *columns;
    uint64_t *cigar;
    nw_values_t *rows; /* [n_threads][row_len] */
    int64_t row_len;
    nw_trace_t **traces; /* [n_threads] */
    buf_t *runs;         /* [n_threads] */
    bool *failed;        /* [n_threads] */
} reference_t;

uint64_t selftest_pairs_digest(const uint32_t *runs, int64_t n)
{
    return digest_add(DIGEST_START, runs, (size_t)n * sizeof(*runs));
}

static void align_one(void *ctx, int64_t pair, int thread)
{
    reference_t *k = ctx;
    const seqset_t *set = k->cases->set;
    pair_t p = k->cases->pairs[pair];
    const uint8_t *a = seqset_letters(set, p.query), *b = seqset_letters(set, p.target);
    int64_t m = seqset_len(set, p.query), n = seqset_len(set, p.target);
    nw_cell_t cell =
        nw_reference_pair(&k->spec, a, m, b, n, k->rows + thread * k->row_len);
    buf_t *runs = &k->runs[thread];

    k->score[pair] = (int32_t)cell.score;
    k->matches[pair] = (int32_t)cell.matches;
    k->columns[pair] = (int32_t)cell.columns;
    runs->len = 0;
    if (cell.columns > 0 &&
        nw_trace_pair(k->traces[thread], a, m, b, n, &cell, NULL, runs) != ST_OK)
        k->failed[thread] = true;
    k->cigar[pair] = selftest_pairs_digest((const uint32_t *)(const void *)runs->data,
                                           (int64_t)(runs->len / sizeof(uint32_t)));
}

static status_t create_tracers(reference_t *k, int n_threads)
{
    status_t st = ST_OK;

    k->rows = malloc((size_t)(k->row_len * n_threads) * sizeof(*k->rows));
    k->traces = calloc((size_t)n_threads, sizeof(nw_trace_t *));
    k->runs = calloc((size_t)n_threads, sizeof(*k->runs));
    k->failed = calloc((size_t)n_threads, sizeof(*k->failed));
    if (k->rows == NULL || k->traces == NULL || k->runs == NULL || k->failed == NULL)
        return log_nomem("the reference");
    for (int i = 0; st == ST_OK && i < n_threads; i++)
        st = nw_trace_create(&k->spec, NULL, SIMD_NONE, &k->traces[i]);
    return st;
}

/* @return ST_ENOMEM if a thread ran out of memory */
static status_t free_tracers(reference_t *k, int n_threads)
{
    status_t st = ST_OK;

    for (int i = 0; i < n_threads; i++) {
        if (k->traces != NULL)
            nw_trace_destroy(k->traces[i]);
        if (k->runs != NULL)
            buf_free(&k->runs[i]);
        if (k->failed != NULL && k->failed[i])
            st = ST_ENOMEM;
    }
    free(k->rows);
    free(k->traces);
    free(k->runs);
    free(k->failed);
    return st;
}

status_t selftest_pairs_align(selftest_pairs_t *c, int scoring, align_ends_t ends,
                              pool_t *pool)
{
    size_t bytes = (size_t)c->n * sizeof(int32_t);
    reference_t k = {.cases = c,
                     .spec = selftest_pairs_spec(scoring, EMIT_CIGAR, ends),
                     .row_len = seqset_max_len(c->set) + 1};
    status_t st, freed;

    c->score[scoring][ends] = k.score = malloc(bytes);
    c->matches[scoring][ends] = k.matches = malloc(bytes);
    c->columns[scoring][ends] = k.columns = malloc(bytes);
    c->cigar[scoring][ends] = k.cigar = malloc((size_t)c->n * sizeof(*k.cigar));
    if (k.score == NULL || k.matches == NULL || k.columns == NULL || k.cigar == NULL)
        return log_nomem("the reference's results");
    st = create_tracers(&k, pool_n_threads(pool));
    if (st == ST_OK)
        pool_run(pool, c->n, align_one, &k);
    freed = free_tracers(&k, pool_n_threads(pool));
    return st == ST_OK ? freed : st;
}

void selftest_pairs_free(selftest_pairs_t *c)
{
    seqset_destroy(c->set);
    free(c->pairs);
    for (int scoring = 0; scoring < SELFTEST_SCORINGS; scoring++)
        for (int ends = 0; ends < SELFTEST_ENDS; ends++) {
            free(c->score[scoring][ends]);
            free(c->matches[scoring][ends]);
            free(c->columns[scoring][ends]);
            free(c->cigar[scoring][ends]);
        }
    memset(c, 0, sizeof(*c));
}
