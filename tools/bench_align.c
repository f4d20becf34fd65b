/*
 * bench_align.c - how fast a kernel aligns: one line, tab-separated.
 *
 * usage: bench_align KERNEL score|identity free|count [N_PAIRS [LENGTH [RUNS [THREADS]]]]
 *
 * Pairs are of 256 simulated sequences (25 % divergence, codes in a fifth of them).  One
 * run warms up.  A sample of the results is checked against the scalar kernel; a
 * difference is an error, not a footnote.
 */
#include "io/logmsg.h"
#include "io/rng.h"
#include "io/simulate.h"
#include "kernels/align/aligner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_SEQUENCES = 256, RUNS_MAX = 100, N_CHECKED = 64 };

typedef struct {
    const char *kernel;
    align_spec_t spec;
    int64_t n_pairs, length;
    int runs, threads;
    device_t device;
    seqset_t *set;
    pool_t *pool;
    pair_t *pairs;
    double cells;
    double seconds[RUNS_MAX];
} bench_t;

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* The device that has the kernel. */
static status_t choose_device(bench_t *b)
{
    device_t gpus[DEVICES_MAX];
    const aligner_backend_t *const *row = aligner_backends();

    while (*row != NULL && strcmp((*row)->name, b->kernel) != 0)
        row++;
    if (*row == NULL) {
        log_error("bench_align: this build has no kernel %s", b->kernel);
        return ST_EUSAGE;
    }
    b->device = device_cpu();
    if ((*row)->kind == DEVICE_CPU)
        return ST_OK;
    if (device_list_cuda(gpus) == 0) {
        log_error("bench_align: no GPU: %s", device_cuda_absence());
        return ST_EDEVICE;
    }
    b->device = gpus[0];
    return ST_OK;
}

static status_t make_pairs(bench_t *b)
{
    simulate_opts_t o = simulate_defaults();
    rng_t rng = rng_seed(1);
    status_t st;

    o.n = N_SEQUENCES;
    o.length = b->length;
    if ((st = simulate_make(&o, &b->set)) != ST_OK)
        return st;
    if ((b->pairs = malloc((size_t)b->n_pairs * sizeof(*b->pairs))) == NULL)
        return log_nomem("pairs");
    for (int64_t i = 0; i < b->n_pairs; i++) {
        b->pairs[i].query = (int32_t)rng_below(&rng, N_SEQUENCES);
        b->pairs[i].target = (int32_t)rng_below(&rng, N_SEQUENCES);
        b->cells += (double)seqset_len(b->set, b->pairs[i].query) *
                    (double)seqset_len(b->set, b->pairs[i].target);
    }
    return ST_OK;
}

static status_t align_all(bench_t *b, aligner_t *aligner, pair_results_t *out)
{
    pair_batch_t batch = {b->pairs, b->n_pairs};
    status_t st = aligner_submit(aligner, &batch);

    return st == ST_OK ? aligner_wait(aligner, out) : st;
}

/* The first pairs once more, by the definition. */
static status_t check(bench_t *b, const pair_results_t *got)
{
    int64_t n = b->n_pairs < N_CHECKED ? b->n_pairs : N_CHECKED;
    pair_batch_t batch = {b->pairs, n};
    device_t cpu = device_cpu();
    aligner_t *scalar = NULL;
    pair_results_t want;
    status_t st = aligner_create(&cpu, b->pool, "scalar", b->set, &b->spec, &scalar);

    if (st == ST_OK && (st = aligner_submit(scalar, &batch)) == ST_OK)
        st = aligner_wait(scalar, &want);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        if (got->score[i] != want.score[i] ||
            (got->matches != NULL && (got->matches[i] != want.matches[i] ||
                                      got->columns[i] != want.columns[i]))) {
            log_error("bench_align: pair %" PRId64 " differs from the scalar kernel", i);
            st = ST_EDEVICE;
        }
    aligner_destroy(scalar);
    return st;
}

static status_t measure(bench_t *b)
{
    aligner_t *aligner = NULL;
    pair_results_t results;
    status_t st =
        aligner_create(&b->device, b->pool, b->kernel, b->set, &b->spec, &aligner);

    for (int run = -1; st == ST_OK && run < b->runs; run++) {
        double start = now_s();

        st = align_all(b, aligner, &results);
        if (run >= 0)
            b->seconds[run] = now_s() - start;
    }
    if (st == ST_OK)
        st = check(b, &results);
    aligner_destroy(aligner);
    return st;
}

static void print_line(bench_t *b)
{
    double median;

    qsort(b->seconds, (size_t)b->runs, sizeof(b->seconds[0]), by_value);
    median = b->seconds[b->runs / 2];
    printf("%s/%s/%s\t%s\t%" PRId64 "x%" PRId64 "x%" PRId64
           "\t%d threads\t%.3e\t%.3e\t%.3e\t"
           "%.1f\n",
           b->kernel, b->spec.emit == EMIT_SCORE ? "score" : "identity",
           b->spec.ends == ENDS_FREE ? "free" : "count", b->device.name, b->n_pairs,
           b->length, b->length, b->device.kind == DEVICE_CPU ? b->threads : 0,
           b->seconds[0], median, b->seconds[b->runs - 1], b->cells / median * 1e-9);
}

static int64_t number(int argc, char **argv, int i, int64_t otherwise)
{
    return i < argc ? atoll(argv[i]) : otherwise;
}

int main(int argc, char **argv)
{
    bench_t b = {.n_pairs = number(argc, argv, 4, 4096),
                 .length = number(argc, argv, 5, 1500),
                 .runs = (int)number(argc, argv, 6, 5),
                 .threads = (int)number(argc, argv, 7, 1)};
    status_t st;

    if (argc < 4 || b.n_pairs < 1 || b.length < 1 || b.runs < 1 || b.runs > RUNS_MAX ||
        b.threads < 1) {
        log_error(
            "usage: bench_align KERNEL score|identity free|count [N_PAIRS [LENGTH [RUNS "
            "[THREADS]]]]");
        return EXIT_USAGE;
    }
    b.kernel = argv[1];
    b.spec.emit = strcmp(argv[2], "score") == 0 ? EMIT_SCORE : EMIT_IDENTITY;
    b.spec.ends = strcmp(argv[3], "count") == 0 ? ENDS_COUNT : ENDS_FREE;
    b.spec.min_overlap = (align_part_t){1, 2};
    align_scoring_set(&b.spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    if ((st = choose_device(&b)) == ST_OK && (st = make_pairs(&b)) == ST_OK &&
        (st = pool_create(b.threads, &b.pool)) == ST_OK && (st = measure(&b)) == ST_OK)
        print_line(&b);
    pool_destroy(b.pool);
    seqset_destroy(b.set);
    free(b.pairs);
    return status_exit_code(st);
}
