/*
 * dispatch_bench.h - the parts of `ribogrid-bench dispatch`: the job that is simulated,
 * and its results.
 */
#pragma once

#include "dispatcher/simulate/simulated_run.h"
#include "io/store/tile.h"
#include "worker/job.h"

#include <stdio.h>

/* synthetic_job.c: a job without input for `ribogrid-bench dispatch`: sequences of
 * 16S-like lengths, their real tiles, and one packed tile that serves as every result. */

typedef struct {
    int64_t n; /* number of sequences */
    uint64_t seed;
    int64_t tile_bytes; /* size of a packed result; 0: pack a tile and measure */
    int n_shards;       /* ranks that keep the log */
    const char *folder; /* where logs are written, and removed */
    bool writes_log;    /* write every result to a log, as a real run does */
} synthetic_job_opts_t;

/* Time to append one record of the job's size to the log, including the sync. */
typedef struct {
    double seconds, cpu_s; /* per record */
} log_timing_t;

typedef struct {
    job_t base;    /* without a log, results are discarded */
    seqset_t *set; /* lengths without bases */
    tile_grid_t grid;
    buf_t tile; /* the packed result */
} synthetic_job_t;

/* Create the job. @return ST_OK, ST_ENOMEM or ST_EIO */
status_t synthetic_job_create(const synthetic_job_opts_t *opts,
                              synthetic_job_t **out) MUST_CHECK;

/*
 * Time a log of its own: append the job's tile for a second, or up to `max_bytes`, then
 * sync.
 *
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t synthetic_job_time_log(const synthetic_job_t *job, const char *folder,
                                int64_t max_bytes, log_timing_t *out) MUST_CHECK;

/* @return CPU time of this thread, seconds */
double synthetic_job_cpu_s(void);

/* Destroy the job and remove its log.  Takes NULL. */
void synthetic_job_destroy(synthetic_job_t *job);

/* scaling_table.c: the results of `ribogrid-bench dispatch` as TSV, one row per number of
 * ranks. */

enum { SCALING_ROWS_MAX = 32 };

typedef struct {
    int64_t n_ranks, n_shards, n_sequences, n_tiles, tile_bytes;
    simulated_run_t run;
    double store_s, store_cpu_s; /* writing one result to the log: wall time, CPU time */
    double results_per_s;        /* what the workers could send if rank 0 cost no time */
} scaling_row_t;

/* The resource of rank 0 that saturates first, and at how many ranks. */
typedef struct {
    const char *what; /* "store", "dispatcher" or "link" */
    double n_ranks;
} scaling_limit_t;

/* Extrapolate a row to the number of ranks that saturate rank 0. */
scaling_limit_t scaling_table_limit(const scaling_row_t *row);

void scaling_table_print_tsv(const scaling_row_t *rows, int n);

/*
 * Draw utilization and rank 0's load against the number of ranks, as SVG.
 *
 * @param rows  [n], n from 1 to SCALING_ROWS_MAX, by increasing number of ranks
 */
void scaling_chart_draw(FILE *to, const scaling_row_t *rows, int n);
