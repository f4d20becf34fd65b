/*
 * job_align_state.h - the state that the files of the job "align" share.
 */
#ifndef RIBOGRID_WORKER_JOB_ALIGN_STATE_H
#define RIBOGRID_WORKER_JOB_ALIGN_STATE_H

#include "io/pairs_file.h"
#include "io/reslog.h"
#include "io/tile.h"
#include "kernels/align/aligner.h"
#include "worker/job_align.h"

#include <time.h>

typedef struct {
    const align_opts_t *opts;
    align_spec_t spec;
    int cancel; /* spec.cancel points here */
    seqset_t *set;
    tile_grid_t grid;
    int n_datasets;
    /* the log's owner */
    buf_t text; /* the job's text, NUL-terminated */
    char *part_path, *tmp_path;
    reslog_t *log;
    time_t started;
    /* a worker's batch */
    pool_t *pool;
    trial_cache_t *trials; /* kept between runs */
    aligner_t *aligner;
    pair_t *pairs;
    int64_t pairs_capacity;
    pair_batch_t batch;
    int64_t *tiles; /* [tiles_capacity] tile numbers of the batch */
    int n_tiles, tiles_capacity;
    int32_t *values; /* [tiles_capacity][n_datasets][side x side] collected tiles */
    int values_capacity;
    int32_t *scratch; /* [threads][side x side] */
} job_align_t;

/* job_align_batch.c */
status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess);
int job_align_batch_limit(const void *job);
status_t job_align_submit(void *job, const int64_t *tasks, int n);
status_t job_align_collect(void *job);
status_t job_align_pack(void *job, int k, int thread, buf_t *out);
void job_align_cancel(void *job);

/* job_align_store.c */
status_t job_align_check_output(job_align_t *j);
status_t job_align_open(void *job);
bool job_align_is_done(const void *job, int64_t task);
status_t job_align_store(void *job, int64_t task, const void *data, size_t len);
status_t job_align_sync(void *job);
status_t job_align_finish(void *job, const job_report_t *report);

#endif
