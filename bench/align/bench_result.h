/*
 * bench_result.h - the measured times of one kernel or peer, and how to measure them.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_RESULT_H
#define RIBOGRID_BENCH_ALIGN_BENCH_RESULT_H

#include "bench/align/bench_pairs.h"

enum { BENCH_RUNS_MAX = 1000 };

/* Who aligns.  The peers come first: they also index the columns of ratios. */
typedef enum {
    LIBRARY_PARASAIL,
    LIBRARY_EDLIB,
    LIBRARY_WFA2,
    N_PEER_LIBRARIES,
    LIBRARY_OURS
} bench_library_t;

typedef struct {
    char what[48];
    bench_library_t library;
    char device[16];                     /* "cpu", "cuda:0" */
    char device_name[DEVICE_NAME_BYTES]; /* the vendor's name */
    int threads;                         /* 0: a GPU */
    bool pageable;                       /* a GPU's batches are not in pinned memory */
    int n_buffers;                       /* batches in flight */
    const char *init;                    /* baseline: who writes the borders, else NULL */
    int64_t n_batches;                   /* 0: a peer, which has no batches */
    align_emit_t emit;
    align_ends_t ends;
    const char *absent; /* why there are no times, or NULL if there are */
    bool effective;     /* may compute fewer cells than `cells` */
    int64_t n_pairs;
    double cells;
    int n_runs;
    double min, median, max;        /* seconds */
    double ratio[N_PEER_LIBRARIES]; /* its rate / the peer's rate; 0: no such peer */
    const pair_t *pairs;            /* [n_pairs], borrowed */
    int32_t *score;                 /* [n_sample] scores of the sample; NULL if absent */
} bench_result_t;

/* All results for one set of pairs. */
typedef struct {
    bench_result_t *all;
    int n, capacity;
} bench_results_t;

/* Append a zeroed result. @return it, valid until the next call, or NULL (out of memory,
 * logged) */
bench_result_t *bench_result_add(bench_results_t *results);

/* Free the results. */
void bench_results_clear(bench_results_t *results);

/*
 * Time n_runs runs after one run to warm up.
 *
 * @param run  does the work once
 * @return ST_OK or the first error of `run`
 */
status_t bench_result_measure(bench_result_t *result, int n_runs,
                              status_t (*run)(void *ctx), void *ctx) MUST_CHECK;

/* @return 10^9 cells of the full matrices per second */
double bench_result_gcups(const bench_result_t *result);

/* Fill in the ratios of every kernel to each peer with the same output and ends. */
void bench_results_compare(bench_results_t *results);

#endif
