/*
 * synthetic_job.h - a job whose input is made up: 16S-like lengths, real tiles of them,
 * and results that are one packed tile again and again.
 */
#ifndef RIBOGRID_TOOLS_BENCH_SYNTHETIC_JOB_H
#define RIBOGRID_TOOLS_BENCH_SYNTHETIC_JOB_H

#include "io/store/reslog.h"
#include "io/store/tile.h"
#include "worker/job.h"

typedef struct {
    int64_t n; /* sequences */
    uint64_t seed;
    int64_t tile_bytes; /* of a packed result; 0: pack one and see */
    const char *folder; /* for logs; they are removed */
    bool keeps;         /* write the results to a log, as a run does */
} synthetic_job_opts_t;

/* How long the log took for records of the job's size, the disk's sync included. */
typedef struct {
    double seconds, cpu_s; /* a record */
} log_timing_t;

typedef struct {
    seqset_t *set; /* lengths, no letters */
    tile_grid_t grid;
    buf_t tile; /* a packed result */
    char *log_path;
    reslog_t *log; /* NULL: nothing is kept */
} synthetic_job_t;

/* With cost, items, is_done, store, sync and finish. */
extern const job_ops_t synthetic_job_ops;

/* Make the job. @return ST_OK, ST_ENOMEM or ST_EIO */
status_t synthetic_job_create(const synthetic_job_opts_t *opts,
                              synthetic_job_t **out) MUST_CHECK;

/* @return its plan */
job_plan_t synthetic_job_plan(const synthetic_job_t *job);

/*
 * Measure the log: append the job's tile to one of its own, until a second or
 * `max_bytes` are over, and sync it.
 *
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t synthetic_job_time_log(const synthetic_job_t *job, const char *folder,
                                int64_t max_bytes, log_timing_t *out) MUST_CHECK;

/* @return seconds that this thread has computed */
double synthetic_job_cpu_s(void);

/* Removes the log. Takes NULL. */
void synthetic_job_destroy(synthetic_job_t *job);

#endif
