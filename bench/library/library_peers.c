/*
 * library_peers.c - one pair from a loop, and many pairs, by ribogrid.h, parasail and
 * edlib as a program that uses them sees it.
 *
 * usage: library_peers [PAIRS [LENGTH [RUNS [DEVICE]]]]
 *
 * PAIRS (1,000,000) are of two random sequences of LENGTH (150) bases, the second with a
 * tenth of the bases of the first changed; matches score 0, mismatches and gaps -1, at
 * the ends, too, which edlib's distances are the negatives of.  Prints a line for each
 * library and way to use it: what, threads, pairs x length x length, minimum, median and
 * maximum seconds of RUNS (3), microseconds per pair (from the median), and GCUPS.
 *
 *   loop      a call per pair: a tenth of PAIRS at most 100,000, on a GPU a thousandth;
 *             also of 8 bases, where calls take all the time
 *   list      ribogrid: all pairs in one call
 *   rows      likewise all pairs i < k of the sequences, in this order and without bands,
 *             as ribogrid-bench align has them; also with the program's default scores
 *
 * Ours are aligned on DEVICE (cpu).  Scores that differ are an error.  Libraries that are
 * not there are left out.
 */
#include "library/ribogrid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef RIBOGRID_HAVE_PARASAIL
#include <parasail.h>
#endif
#ifdef RIBOGRID_HAVE_EDLIB
#include <edlib.h>
#endif

enum { RUNS_MAX = 100, SEQUENCES = 2000, SHORT = 8, LOOP_MAX = 100000 };
enum { ALL_PAIRS = SEQUENCES * (SEQUENCES - 1) / 2 };

/* Pair k is of the sequences 2 i and 2 i + 1, i = k modulo half of them. */
typedef struct {
    int64_t n, length;
    int n_runs;
    char *letters;    /* [SEQUENCES][length] */
    int64_t *offsets; /* [SEQUENCES + 1] */
    int32_t *pairs;   /* [n][2] */
    int32_t *rows;    /* [n_rows][2] */
    int64_t n_rows;   /* n, but at most all pairs */
    int32_t *score;   /* [n] of the library that was first */
    int has_scores;
    const char *device; /* of ours */

    /* ours */
    rg_context_t *context;
    rg_set_t *set;
    rg_aligner_t *aligner;
    void *matrix; /* parasail's */
} bench_t;

static void fail(const char *why)
{
    fprintf(stderr, "library_peers: %s\n", why);
    exit(EXIT_FAILURE);
}

static void *allocate(size_t bytes)
{
    void *out = malloc(bytes + 1);

    if (out == NULL)
        fail("out of memory");
    return out;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_rows(bench_t *b)
{
    int64_t at = 0;

    for (int32_t i = 0; at < b->n_rows; i++)
        for (int32_t k = i + 1; k < SEQUENCES && at < b->n_rows; k++, at++) {
            b->rows[2 * at] = i;
            b->rows[2 * at + 1] = k;
        }
}

static void make(bench_t *b, int64_t length)
{
    unsigned seed = 1;

    b->length = length;
    b->has_scores = 0;
    b->letters = allocate((size_t)(SEQUENCES * length));
    b->offsets = allocate((SEQUENCES + 1) * sizeof(*b->offsets));
    b->pairs = allocate((size_t)b->n * 2 * sizeof(*b->pairs));
    b->n_rows = b->n < ALL_PAIRS ? b->n : ALL_PAIRS;
    b->rows = allocate((size_t)b->n_rows * 2 * sizeof(*b->rows));
    b->score = allocate((size_t)b->n * sizeof(*b->score));
    for (int64_t i = 0; i < SEQUENCES * length; i++) {
        const int64_t before = i - length;

        seed = seed * 1664525U + 1013904223U;
        b->letters[i] = i / length % 2 == 1 && seed >> 16 & 15 ? b->letters[before]
                                                               : "ACGT"[seed >> 28 & 3];
    }
    for (int64_t i = 0; i <= SEQUENCES; i++)
        b->offsets[i] = i * length;
    for (int64_t k = 0; k < b->n; k++) {
        b->pairs[2 * k] = (int32_t)(2 * (k % (SEQUENCES / 2)));
        b->pairs[2 * k + 1] = b->pairs[2 * k] + 1;
    }
    make_rows(b);
}

static void unmake(bench_t *b)
{
    free(b->letters);
    free(b->offsets);
    free(b->pairs);
    free(b->rows);
    free(b->score);
}

/* Keep a score, or compare it with the one that another library gave. */
static void take(bench_t *b, int64_t k, int32_t score)
{
    if (!b->has_scores)
        b->score[k] = score;
    else if (b->score[k] != score)
        fail("scores differ");
}

/* ---- ways to align the first n pairs ---- */

typedef void (*run_t)(bench_t *b, int64_t n);

static void ours_by_list(bench_t *b, int64_t n)
{
    rg_result_t *r;

    if (rg_aligner_pairs(b->aligner, b->pairs, n, &r) != RG_OK)
        fail(rg_context_error(b->context));
    for (int64_t k = 0; k < n; k++)
        take(b, k, rg_result_scores(r)[k]);
    rg_result_destroy(r);
}

static void ours_by_rows(bench_t *b, int64_t n)
{
    rg_result_t *r;

    if (rg_aligner_pairs(b->aligner, b->rows, n, &r) != RG_OK)
        fail(rg_context_error(b->context));
    rg_result_destroy(r);
}

static void ours_by_loop(bench_t *b, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        rg_result_t *r;

        if (rg_aligner_pairs(b->aligner, b->pairs + 2 * k, 1, &r) != RG_OK)
            fail(rg_context_error(b->context));
        take(b, k, rg_result_scores(r)[0]);
        rg_result_destroy(r);
    }
}

#if defined(RIBOGRID_HAVE_PARASAIL) || defined(RIBOGRID_HAVE_EDLIB)
static const char *sequence(const bench_t *b, int64_t k, int which)
{
    return b->letters + b->offsets[b->pairs[2 * k + which]];
}
#endif

#ifdef RIBOGRID_HAVE_PARASAIL
static void parasail_by_loop(bench_t *b, int64_t n)
{
    const int len = (int)b->length;

    for (int64_t k = 0; k < n; k++) {
        parasail_result_t *r =
            parasail_nw_scan_16(sequence(b, k, 0), len, sequence(b, k, 1), len, 1, 1,
                                b->matrix);

        take(b, k, parasail_result_get_score(r));
        parasail_result_free(r);
    }
}
#endif

#ifdef RIBOGRID_HAVE_EDLIB
static void edlib_by_loop(bench_t *b, int64_t n)
{
    const EdlibAlignConfig config =
        edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, NULL, 0);
    const int len = (int)b->length;

    for (int64_t k = 0; k < n; k++) {
        EdlibAlignResult r =
            edlibAlign(sequence(b, k, 0), len, sequence(b, k, 1), len, config);

        take(b, k, -r.editDistance);
        edlibFreeAlignResult(r);
    }
}
#endif

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(bench_t *b, const char *what, int threads, int64_t n, run_t run)
{
    double s[RUNS_MAX], median;
    char size[64];

    run(b, n);
    b->has_scores = 1;
    for (int i = 0; i < b->n_runs; i++) {
        const double begun = now_s();

        run(b, n);
        s[i] = now_s() - begun;
    }
    qsort(s, (size_t)b->n_runs, sizeof(*s), compare);
    median = s[b->n_runs / 2];
    snprintf(size, sizeof(size), "%lldx%lldx%lld", (long long)n, (long long)b->length,
             (long long)b->length);
    printf("%s\t%d\t%s\t%.2e\t%.2e\t%.2e\t%.2f us\t%.2f\n", what, threads, size, s[0],
           median, s[b->n_runs - 1], 1e6 * median / (double)n,
           1e-9 * (double)n * (double)b->length * (double)b->length / median);
}

/* @param preset, band  NULL: the program's default */
static void open_ours(bench_t *b, int threads, const char *preset, const char *band)
{
    rg_context_options_t options;
    rg_align_options_t align;

    rg_context_options_init(&options, sizeof(options));
    rg_align_options_init(&align, sizeof(align));
    options.device = b->device;
    options.threads = threads;
    align.preset = preset;
    align.band = band;
    align.emit = "score";
    if (rg_context_create(&options, &b->context) != RG_OK ||
        rg_set_create(b->context, "dna", SEQUENCES, b->letters, b->offsets, NULL,
                      &b->set) != RG_OK ||
        rg_aligner_create(b->context, b->set, NULL, &align, &b->aligner) != RG_OK)
        fail(rg_context_error(b->context));
}

static void close_ours(bench_t *b)
{
    rg_aligner_destroy(b->aligner);
    rg_set_destroy(b->set);
    rg_context_destroy(b->context);
}

static void run_rows(bench_t *b, int threads, const char *preset, const char *what)
{
    open_ours(b, threads, preset, "off");
    measure(b, what, rg_context_threads(b->context), b->n_rows, ours_by_rows);
    close_ours(b);
}

static void run_lists(bench_t *b, int threads)
{
    open_ours(b, threads, "unit", NULL);
    measure(b, "ribogrid list", rg_context_threads(b->context), b->n, ours_by_list);
    close_ours(b);
    run_rows(b, threads, "unit", "ribogrid rows");
    run_rows(b, threads, NULL, "ribogrid rows, default scores");
}

static int is_on_gpu(const bench_t *b)
{
    return strcmp(b->device, "cpu") != 0;
}

/* @param has_list  also all pairs in one call */
static void run_all(bench_t *b, int64_t n_loop, int has_list)
{
    if (has_list) {
        if (!is_on_gpu(b))
            run_lists(b, 1);
        run_lists(b, 0);
    }
    open_ours(b, 1, "unit", NULL);
    measure(b, "ribogrid loop", 1, n_loop, ours_by_loop);
    close_ours(b);
#ifdef RIBOGRID_HAVE_PARASAIL
    b->matrix = parasail_matrix_create("ACGT", 0, -1);
    measure(b, "parasail nw_scan_16 loop", 1, n_loop, parasail_by_loop);
    parasail_matrix_free(b->matrix);
#endif
#ifdef RIBOGRID_HAVE_EDLIB
    measure(b, "edlib NW distance loop", 1, n_loop, edlib_by_loop);
#endif
}

int main(int argc, char **argv)
{
    bench_t b = {.n = argc > 1 ? atoll(argv[1]) : 1000000,
                 .n_runs = argc > 3 ? atoi(argv[3]) : 3,
                 .device = argc > 4 ? argv[4] : "cpu"};
    const int64_t length = argc > 2 ? atoll(argv[2]) : 150;
    int64_t n_loop = b.n / 10 < LOOP_MAX ? b.n / 10 : LOOP_MAX;

    if (b.n < 1 || b.n > INT32_MAX || length < 1 || length > 10000 || b.n_runs < 1 ||
        b.n_runs > RUNS_MAX)
        fail("usage: library_peers [PAIRS [LENGTH [RUNS [DEVICE]]]]");
    if (is_on_gpu(&b))
        n_loop /= 100;
    n_loop = n_loop > 0 ? n_loop : 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make(&b, length);
    run_all(&b, n_loop, 1);
    unmake(&b);
    make(&b, SHORT);
    run_all(&b, n_loop, 0);
    unmake(&b);
    return EXIT_SUCCESS;
}
