/*
 * bench_result.h - what was measured of one kernel or peer, and how to measure it.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_RESULT_H
#define RIBOGRID_TOOLS_BENCH_BENCH_RESULT_H

#include "tools/bench/bench_pairs.h"

enum { BENCH_RUNS_MAX = 1000 };

/* Who computes; peers are also the columns of ratios. */
typedef enum {
    LIBRARY_PARASAIL,
    LIBRARY_EDLIB,
    LIBRARY_WFA2,
    N_PEER_LIBRARIES,
    LIBRARY_OURS
} bench_library_t;

typedef struct {
    char what[48];
    bench_library_t by;
    char device[16];                     /* "cpu", "cuda:0" */
    char device_name[DEVICE_NAME_BYTES]; /* the vendor's */
    int threads;                         /* 0: a GPU's own */
    align_transfer_t transfer;           /* of a GPU's batches */
    const char *init;                    /* who writes a baseline's borders, else NULL */
    int64_t n_batches;                   /* 0: a peer, which has none */
    align_emit_t emit;
    align_ends_t ends;
    const char *absent; /* why there are no times; NULL if there are */
    bool effective;     /* may compute fewer cells than those counted */
    int64_t n_pairs;
    double cells;
    int n_runs;
    double min, median, max;        /* seconds */
    double ratio[N_PEER_LIBRARIES]; /* its rate / the peer's; 0: no such peer */
    const pair_t *pairs;            /* [n_pairs], borrowed */
    int32_t *score;                 /* [n_sample] of the sample; NULL if absent */
} bench_result_t;

/* Rows of one set of pairs. */
typedef struct {
    bench_result_t *rows;
    int n, capacity;
} bench_results_t;

/* Append a row, all 0. @return it, valid until the next one, or NULL (logged) */
bench_result_t *bench_result_add(bench_results_t *rows);

/* Free the rows. */
void bench_results_clear(bench_results_t *rows);

/*
 * Measure: one run to warm up, then n_runs.
 *
 * @param run  does the work once; an error ends all
 */
status_t bench_result_measure(bench_result_t *row, int n_runs, status_t (*run)(void *ctx),
                              void *ctx) MUST_CHECK;

/* @return cells of the full matrices a second, in 10^9 */
double bench_result_gcups(const bench_result_t *row);

/* Fill in every kernel's rate / each peer's of the same output and ends. */
void bench_results_compare(bench_results_t *rows);

#endif
