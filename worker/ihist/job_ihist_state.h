/*
 * job_ihist_state.h - the state of the job "ihist", and the functions that its files
 * share.
 *
 * A task is a run of tiles in a row of tiles of a frame.  Its record is their packed
 * values (tile_pack.h), which are chunks of the result.
 */
#pragma once

#include "kernels/ihist/ihist_backend.h"
#include "worker/ihist/ihist_opts.h"
#include "worker/job_output.h"

/* Values of a task, but at least one tile. */
enum { JOB_IHIST_VALUES = 1 << 22 };

/* What a thread computes with. */
typedef struct {
    void *state;  /* of the backend */
    char *values; /* [n_together] tiles */
    char *spare;  /* one */
} ihist_thread_t;

enum { JOB_IHIST_BATCH = 16 };

/* A batch, in a slot of the backend. */
typedef struct {
    int64_t tasks[JOB_IHIST_BATCH];
    size_t at[JOB_IHIST_BATCH]; /* where a task's tiles begin */
    const char *tiles;          /* a GPU's; NULL: threads compute them */
} job_ihist_batch_t;

typedef struct {
    job_t base;
    const ihist_opts_t *opts;

    /* on every rank */
    image_set_t set;
    ihist_shape_t shape;
    int64_t n_together; /* tiles of a task */

    /* every rank, as a worker */
    const ihist_backend_t *backend;
    void *device;            /* a GPU's state of it; NULL: threads have their own */
    ihist_thread_t *threads; /* [n_threads] */
    int n_threads;

    /* Batches take slots in turn: one is taken again when what it held was packed. */
    job_ihist_batch_t batches[IHIST_SLOTS];
    int64_t n_submitted, n_collected;
    int slot_of[JOB_PLACES]; /* the batch that was collected there */
} job_ihist_t;

/* ---- job_ihist_input.c ---- */

enum { IHIST_CHILD_IMAGES = JOB_CHILD_FIRST };

/* [all] Read the images on rank 0, and pass them to all ranks. */
status_t job_ihist_read(job_ihist_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_ihist_compute.c ---- */

/* @return tasks of a frame; the tiles of a task; the bytes of a tile's values, and of
 *         what a thread computes with */
int64_t job_ihist_frame_tasks(const job_ihist_t *j);
ihist_run_t job_ihist_run_of(const job_ihist_t *j, int64_t task);
size_t job_ihist_tile_bytes(const job_ihist_t *j);
double job_ihist_thread_bytes(const job_ihist_t *j);

/* Take what a thread needs. @param backend  NULL: it computes nothing
 * @return ST_OK or ST_ENOMEM (logged) */
status_t job_ihist_thread_begin(const job_ihist_t *j, const ihist_backend_t *backend,
                                ihist_thread_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void job_ihist_thread_end(const ihist_backend_t *backend, ihist_thread_t *t);

/* Compute a task's values. @return ST_OK or ST_ENOMEM (logged) */
status_t job_ihist_compute(const job_ihist_t *j, const ihist_backend_t *backend,
                           int64_t task, ihist_thread_t *t) MUST_CHECK;

/* job_ops_t's */
status_t job_ihist_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_ihist_collect(job_t *job, int place);
status_t job_ihist_pack(job_t *job, int place, int k, int thread, buf_t *out);

/* ---- job_ihist_store.c ---- */

void job_ihist_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_ihist_describe(job_t *job);
const char *job_ihist_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record) MUST_CHECK;
status_t job_ihist_write_result(job_t *job, const job_report_t *report);
