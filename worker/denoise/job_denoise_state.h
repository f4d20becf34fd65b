/*
 * job_denoise_state.h - the state of the job "denoise", and the functions that its files
 * share.
 */
#pragma once

#include "worker/denoise/denoise_opts.h"
#include "worker/denoise/denoise_search.h"
#include "worker/job_output.h"

/* The edges of a batch. */
typedef struct {
    buf_t edges;    /* denoise_edge_t, task by task */
    int64_t *first; /* [capacity + 1] the first edge of each task */
    int capacity;
} job_denoise_batch_t;

typedef struct {
    job_t base;
    const denoise_opts_t *opts;

    /* on every rank */
    amplicon_reads_t in; /* reads of the minimum size, by falling abundance */
    tile_grid_t grid;    /* of these: a tile is a task */

    /* every rank, as a worker */
    denoise_search_t *search;
    tile_t *tiles; /* [max_batch] */
    int n_submitted;
    job_denoise_batch_t collected[JOB_PLACES];
} job_denoise_t;

/* ---- job_denoise_store.c ---- */

void job_denoise_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_denoise_describe(job_t *job);
const char *job_denoise_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record) MUST_CHECK;
status_t job_denoise_write_result(job_t *job, const job_report_t *report);
