/*
 * test_job_align_top.c - tests that --top N gives the same hits, including ties, with
 * bounds as by aligning all pairs.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/seq/seqset.h"
#include "kernels/align/search/search_state.h"
#include "tests/support/random_set.h"
#include "worker/align/job_align_state.h"
#include "worker/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    N_FAMILIES = 12,
    FAMILY_SIZE = 9,
    GENE_LEN = 120,
    PIECE_LEN = 60,
    N_QUERIES = 20,
    BATCH = 7,
    THREADS = 2
};

/* @return the hit at place `top` of the best */
static pairs_hit_t last_of(pairs_order_t order, const pairs_hit_t *hits, int64_t n,
                           int64_t top, pairs_hit_t *scratch)
{
    memcpy(scratch, hits, (size_t)n * sizeof(*hits));
    pairs_order_sort(order, scratch, n);
    return scratch[top - 1];
}

static char dir[] = "/tmp/ribogrid_top.XXXXXX";
static char queries[64], references[64], output[64];
static const char *const inputs[] = {queries};
static pool_t *pool;

/* Copy bases; `percent` of them are substituted (four of six), deleted or doubled.
 * @return the length of the copy */
static size_t mutate(rng_t *rng, const char *from, size_t n, uint64_t percent, char *to)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t event = rng_chance(rng, percent, 100) ? rng_below(rng, 6) : 6;

        if (event == 0)
            continue;
        to[m++] = event < 5 ? "ACGT"[rng_below(rng, 4)] : from[i];
        if (event == 5)
            to[m++] = from[i];
    }
    return m;
}

static void reverse_complement(char *letters, size_t n)
{
    static const char from[] = "ACGTN", to[] = "TGCAN";

    for (size_t i = 0; i < n / 2; i++) {
        char c = letters[i];

        letters[i] = letters[n - 1 - i];
        letters[n - 1 - i] = c;
    }
    for (size_t i = 0; i < n; i++)
        letters[i] = to[strchr(from, letters[i]) - from];
}

static void put(FILE *file, const char *letters, size_t n)
{
    fprintf(file, ">s\n%.*s\n", (int)n, letters);
}

/* References are families of genes, with two genes of each family twice; queries are
 * pieces of genes, from exact to distant, a short sequence and a whole gene. */
static void make_families(void)
{
    static const uint64_t percents[] = {0, 1, 3, 6, 12, 40};
    static char genes[N_FAMILIES * FAMILY_SIZE][2 * GENE_LEN];
    static size_t lengths[N_FAMILIES * FAMILY_SIZE];
    FILE *file = fopen(references, "w");
    rng_t rng = rng_seed(3);
    char founder[GENE_LEN], piece[2 * PIECE_LEN];

    assert_non_null(file);
    for (int k = 0; k < N_FAMILIES * FAMILY_SIZE; k++) {
        if (k % FAMILY_SIZE == 0)
            for (int i = 0; i < GENE_LEN; i++)
                founder[i] = "ACGT"[rng_below(&rng, 4)];
        lengths[k] = mutate(&rng, founder, GENE_LEN, percents[k % 4], genes[k]);
        put(file, genes[k], lengths[k]);
        if (k % FAMILY_SIZE > 6)
            put(file, genes[k], lengths[k]);
    }
    fclose(file);
    file = fopen(queries, "w");
    assert_non_null(file);
    for (int k = 0; k < N_QUERIES; k++) {
        int from = (int)rng_below(&rng, N_FAMILIES * FAMILY_SIZE);
        size_t n = mutate(&rng, genes[from] + 30, PIECE_LEN, percents[k % 6], piece);

        if (k % 3 == 0)
            reverse_complement(piece, n);
        put(file, piece, n);
    }
    put(file, "ACGTA", 5);
    put(file, genes[4], lengths[4]);
    fclose(file);
}

/* References are the genes of a file; queries are the region between two primers of one
 * gene in `every`. @return whether the file is there */
static bool cut_amplicons(const char *name, int64_t every)
{
    const fasta_opts_t opts = {.skip_bad = true};
    const char *data = getenv("RIBOGRID_DATA");
    FILE *to_queries = fopen(queries, "w"), *to_references = fopen(references, "w");
    char path[1024], letters[4096];
    seqset_t *set = NULL;

    assert_true(to_queries != NULL && to_references != NULL);
    snprintf(path, sizeof(path), "%s/16s/%s", data != NULL ? data : "", name);
    if (data != NULL && access(path, R_OK) == 0)
        assert_int_equal(fasta_read(path, &opts, NULL, &set), ST_OK);
    for (int64_t i = 0; set != NULL && i < set->n; i++) {
        int64_t n = seqset_len(set, i);

        assert_true(n < (int64_t)sizeof(letters));
        for (int64_t k = 0; k < n; k++)
            letters[k] = alphabet_letter(ALPHABET_DNA, seqset_letters(set, i)[k]);
        put(to_references, letters, (size_t)n);
        if (i % every == 0 && n > 800)
            put(to_queries, letters + 534, 253);
    }
    fclose(to_queries);
    fclose(to_references);
    seqset_destroy(set);
    return set != NULL;
}

typedef struct {
    align_ends_t ends;
    int64_t top;
    fraction_t id;
    bool both_strands;
} search_case_t;

/* The kernels are tested elsewhere, so that the fastest one will do. */
static const char *kernel_name(void)
{
    return device_cpu().simd == SIMD_NONE ? "scalar" : "simd";
}

static align_opts_t opts_of(const search_case_t *c)
{
    align_opts_t opts = align_opts_defaults();
    char why[JOB_OPTS_WHY_BYTES];

    opts.inputs = (seq_inputs_t){.paths = inputs, .n = 1};
    opts.against = references;
    opts.common.output = output;
    opts.common.kernel = kernel_name();
    GIVE(&opts, ends, c->ends);
    opts.top = c->top;
    opts.min_identity = c->id;
    GIVE(&opts, strand, c->both_strands ? STRAND_BOTH : STRAND_PLUS);
    GIVE(&opts, batch_bytes, 1 << 24);
    opts.common.version = "1";
    assert_int_equal(align_opts_settle(&opts.common, why), ST_OK);
    return opts;
}

typedef struct {
    pairs_hit_t *at; /* [queries x references] */
    int64_t n;
} hits_t;

static int by_place(const void *a, const void *b)
{
    const pairs_hit_t *x = a, *y = b;

    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->col > y->col) - (x->col < y->col);
}

/* Drop all but the best hits of each query, and ties with the last of them. */
static void keep_best(hits_t *h, int64_t top)
{
    pairs_hit_t *scratch = malloc((size_t)(h->n + 1) * sizeof(*scratch));
    int64_t n = 0, end;

    assert_non_null(scratch);
    qsort(h->at, (size_t)h->n, sizeof(*h->at), by_place);
    for (int64_t first = 0; first < h->n; first = end) {
        pairs_hit_t last;

        for (end = first; end < h->n && h->at[end].row == h->at[first].row;)
            end++;
        if (end - first >= top)
            last = last_of(PAIRS_BY_IDENTITY, h->at + first, end - first, top, scratch);
        for (int64_t k = first; k < end; k++)
            if (end - first < top ||
                pairs_order_compare(PAIRS_BY_IDENTITY, &h->at[k], &last) >= 0)
                h->at[n++] = h->at[k];
    }
    h->n = n;
    free(scratch);
}

/* Align every row with every reference. @return an aligner, which owns the results */
static aligner_t *align_pairs(const job_align_t *j, const device_t *device,
                              pair_results_t *out)
{
    const align_context_t context = {device, pool, j->set, &j->spec.align, {0}};
    int64_t n = j->col_first * j->n_references;
    pair_t *pairs = malloc((size_t)n * sizeof(*pairs));
    const pair_batch_t batch = {pairs, n};
    aligner_t *a = NULL;

    assert_non_null(pairs);
    for (int64_t k = 0; k < n; k++)
        pairs[k] = (pair_t){(int32_t)(k / j->n_references),
                            (int32_t)(j->col_first + k % j->n_references)};
    assert_int_equal(aligner_create(&context,
                                    &(aligner_options_t){.kernel = kernel_name()}, &a),
                     ST_OK);
    assert_int_equal(aligner_submit(a, &batch), ST_OK);
    assert_int_equal(aligner_wait(a, out), ST_OK);
    free(pairs);
    return a;
}

/* Find the hits among all pairs: of two strands the better one, if it is good enough. */
static void align_all(const job_align_t *j, const device_t *device, hits_t *out)
{
    pair_results_t all;
    aligner_t *a = align_pairs(j, device, &all);

    out->n = 0;
    for (int64_t k = 0; k < j->n_queries * j->n_references; k++) {
        int64_t minus = k + j->n_queries * j->n_references;
        bool is_minus =
            j->n_strands > 1 &&
            (all.score[minus] > all.score[k] ||
             (all.score[minus] == all.score[k] && all.matches[minus] > all.matches[k]));
        int64_t at = is_minus ? minus : k;

        if (fraction_reached(&j->opts->min_identity, all.matches[at], all.columns[at]) &&
            all.columns[at] > 0)
            out->at[out->n++] =
                (pairs_hit_t){(int32_t)(k / j->n_references),
                              (int32_t)(j->col_first + k % j->n_references),
                              all.score[at],
                              all.matches[at],
                              all.columns[at],
                              is_minus ? -1 : 1};
    }
    aligner_destroy(a);
}

/* Compute all tiles as a worker does. @return the number of pairs ruled out */
static int64_t compute(job_align_t *j, hits_t *out)
{
    pairs_hits_t got = {.n_dropped = {0}};
    int64_t n_dropped = 0;
    buf_t record = {0};

    for (int64_t first = 0; first < j->grid.n_tiles; first += BATCH) {
        int64_t tasks[BATCH];
        int n = 0, begun;

        for (; n < BATCH && first + n < j->grid.n_tiles; n++)
            tasks[n] = first + n;
        assert_int_equal(job_align_ops.submit(&j->base, tasks, n, &begun), ST_OK);
        assert_int_equal(begun, n);
        assert_int_equal(job_align_ops.collect(&j->base, 0), ST_OK);
        for (int k = 0; k < n; k++) {
            record.len = 0;
            assert_int_equal(job_align_ops.pack(&j->base, 0, k, 0, &record), ST_OK);
            assert_int_equal(pairs_hits_unpack(record.data, record.len, &got), ST_OK);
        }
    }
    out->n = pairs_hits_n(&got);
    for (int64_t k = 0; k < out->n; k++)
        out->at[k] = pairs_hits_at(&got, k)->hit;
    for (int s = 0; s < PAIRS_STAGES_MAX; s++)
        n_dropped += got.n_dropped[s];
    assert_true(n_dropped + out->n <= j->n_queries * (j->n_references) * j->n_strands);
    buf_free(&record);
    pairs_hits_free(&got);
    return n_dropped;
}

/* Compare the best hits with those of all pairs. @return percentage of pairs ruled out */
static int64_t percent_ruled_out(const search_case_t *c)
{
    exchange_t x = exchange_alone();
    align_opts_t opts = opts_of(c);
    device_t cpu = device_cpu();
    hits_t want = {0}, got = {0};
    const char *kernel;
    int64_t n, n_dropped;
    job_align_t *j;
    double guess;
    job_t *job;

    assert_int_equal(job_create(&job_align_ops, &opts.common, &job), ST_OK);
    j = (job_align_t *)job;
    assert_int_equal(job_begin(job, &x), ST_OK);
    assert_int_equal(job_prepare(job, &cpu, pool, &kernel, &guess), ST_OK);
    n = j->n_queries * (j->n_references);
    want.at = malloc((size_t)n * sizeof(*want.at));
    got.at = malloc((size_t)n * sizeof(*got.at));
    assert_true(want.at != NULL && got.at != NULL);
    align_all(j, &cpu, &want);
    keep_best(&want, c->top);
    n_dropped = compute(j, &got);
    keep_best(&got, c->top);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.at, want.at, (size_t)want.n * sizeof(*want.at));
    n_dropped = n_dropped * 100 / (n * j->n_strands);
    free(want.at);
    free(got.at);
    job_destroy(job);
    return n_dropped;
}

static void best_hits_among_families_are_those_of_all_pairs(void **state)
{
    static const fraction_t ids[] = {{0, 0}, {9, 10}, {3, 5}};
    static const int64_t tops[] = {1, 2, 3, 5, 13, 1000};
    int n_useful = 0;

    (void)state;
    make_families();
    for (int k = 0; k < 6 * 3 * 2; k += RANDOM_SET_DIVISOR) {
        search_case_t c = {.ends = k % 5 < 3 ? ENDS_QUERY : (align_ends_t)(k % 5 - 3),
                           .top = tops[k % 6],
                           .id = ids[k / 6 % 3],
                           .both_strands = k / 18 > 0};

        n_useful += percent_ruled_out(&c) > 20;
    }
    assert_true(n_useful * RANDOM_SET_DIVISOR >= 15);
}

static void best_hits_of_amplicons_are_those_of_all_pairs(void **state)
{
    (void)state;
    if (!cut_amplicons("rdp_Armatimonadetes.fasta.gz", 20))
        skip();
    for (int k = 0; k < 2; k++) {
        search_case_t c = {.ends = ENDS_QUERY,
                           .top = k == 0 ? 1 : 5,
                           .both_strands = k > 0};
        int64_t percent = percent_ruled_out(&c);

        print_message("top %d, %d strands: %d %% of pairs ruled out\n", (int)c.top,
                      1 + c.both_strands, (int)percent);
        assert_true(c.top > 1 || percent > 50); /* each query's own gene is a reference */
    }
}

/* A cancelled job has no results, but its calls return. */
static void a_search_for_bounds_can_be_cancelled(void **state)
{
    const search_case_t c = {.ends = ENDS_QUERY, .top = 1};
    exchange_t x = exchange_alone();
    align_opts_t opts = opts_of(&c);
    device_t cpu = device_cpu();
    const int64_t tasks[] = {0};
    const char *kernel;
    double guess;
    int n_begun;
    job_t *job;

    (void)state;
    make_families();
    assert_int_equal(job_create(&job_align_ops, &opts.common, &job), ST_OK);
    assert_int_equal(job_begin(job, &x), ST_OK);
    assert_int_equal(job_prepare(job, &cpu, pool, &kernel, &guess), ST_OK);
    assert_true(((job_align_t *)job)->search->n_bound_levels > 0);
    job_cancel(job);
    assert_int_equal(job_align_ops.submit(job, tasks, 1, &n_begun), ST_OK);
    assert_int_equal(job_align_ops.collect(job, 0), ST_OK);
    job_destroy(job);
}

static int start(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL || pool_create(THREADS, &pool) != ST_OK)
        return -1;
    snprintf(queries, sizeof(queries), "%s/queries.fa", dir);
    snprintf(references, sizeof(references), "%s/references.fa", dir);
    snprintf(output, sizeof(output), "%s/out.h5", dir);
    setenv("RIBOGRID_CACHE", dir, 1);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    pool_destroy(pool);
    unlink(queries);
    unlink(references);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_hits_among_families_are_those_of_all_pairs),
        cmocka_unit_test(best_hits_of_amplicons_are_those_of_all_pairs),
        cmocka_unit_test(a_search_for_bounds_can_be_cancelled)};

    return cmocka_run_group_tests(tests, start, stop);
}
