/*
 * job_ihist_compute.c - tasks of the job "ihist": which tiles they are, and their values,
 * which the threads compute and compress.
 */
#include "worker/ihist/job_ihist_state.h"

#include "io/base/logmsg.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>

/* @return the tasks of a row of tiles */
static int64_t row_tasks(const job_ihist_t *j)
{
    return (ihist_tiles_across(&j->shape) + j->n_together - 1) / j->n_together;
}

int64_t job_ihist_frame_tasks(const job_ihist_t *j)
{
    return ihist_n_tiles(&j->shape) / ihist_tiles_across(&j->shape) * row_tasks(j);
}

ihist_run_t job_ihist_run_of(const job_ihist_t *j, int64_t task)
{
    const int64_t across = ihist_tiles_across(&j->shape), in_row = row_tasks(j);
    const int64_t in_frame = task % job_ihist_frame_tasks(j);
    const int64_t left = in_frame % in_row * j->n_together;

    return (ihist_run_t){task / job_ihist_frame_tasks(j),
                         in_frame / in_row * across + left,
                         across - left < j->n_together ? across - left : j->n_together};
}

size_t job_ihist_tile_bytes(const job_ihist_t *j)
{
    return (size_t)ihist_tile_values(&j->shape) *
           (j->shape.is_wide ? sizeof(int64_t) : sizeof(int32_t));
}

double job_ihist_thread_bytes(const job_ihist_t *j)
{
    /* values, the same packed, and scratch of the compressor */
    return (double)(2 * j->n_together + 2) * (double)job_ihist_tile_bytes(j) +
           2 * (double)(ihist_tiles_across(&j->shape) * j->shape.side * j->shape.n_bins) *
               sizeof(int64_t);
}

static status_t begin_values(const job_ihist_t *j, const ihist_backend_t *backend,
                             ihist_thread_t *t)
{
    const ihist_context_t context = {.shape = j->shape, .device = &j->base.device};

    t->values = malloc((size_t)j->n_together * job_ihist_tile_bytes(j));
    return t->values != NULL ? backend->create(&context, &t->state)
                             : log_nomem("an integral histogram");
}

status_t job_ihist_thread_begin(const job_ihist_t *j, const ihist_backend_t *backend,
                                ihist_thread_t *out)
{
    ihist_thread_t t = {.spare = malloc(job_ihist_tile_bytes(j))};
    status_t st = t.spare != NULL ? ST_OK : log_nomem("an integral histogram");

    if (st == ST_OK && backend != NULL)
        st = begin_values(j, backend, &t);
    if (st == ST_OK)
        *out = t;
    else
        job_ihist_thread_end(backend, &t);
    return st;
}

void job_ihist_thread_end(const ihist_backend_t *backend, ihist_thread_t *t)
{
    if (t->state != NULL)
        backend->destroy(t->state);
    free(t->values);
    free(t->spare);
    *t = (ihist_thread_t){.state = NULL};
}

status_t job_ihist_compute(const job_ihist_t *j, const ihist_backend_t *backend,
                           int64_t task, ihist_thread_t *t)
{
    const ihist_run_t run = job_ihist_run_of(j, task);

    return backend->run(t->state, j->set.bytes + run.frame * image_set_values(&j->set),
                        run.first, run.n, t->values);
}

/* ---- batches ---- */

/* A GPU begins a batch; else the tiles are computed where they are packed: by all
 * threads. */
status_t job_ihist_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_ihist_t *j = (job_ihist_t *)job;
    const int slot = (int)(j->n_submitted % IHIST_SLOTS);
    job_ihist_batch_t *b = &j->batches[slot];
    ihist_run_t runs[JOB_IHIST_BATCH];
    size_t at = 0;
    status_t st = ST_OK;

    *n_begun = n < job->max_batch ? n : job->max_batch;
    for (int k = 0; k < *n_begun; k++) {
        runs[k] = job_ihist_run_of(j, tasks[k]);
        b->tasks[k] = tasks[k];
        b->at[k] = at;
        at += (size_t)runs[k].n * job_ihist_tile_bytes(j);
    }
    if (j->device != NULL)
        st = j->backend->start(j->device, slot, runs, *n_begun);
    if (st == ST_OK)
        j->n_submitted++;
    return st;
}

status_t job_ihist_collect(job_t *job, int place)
{
    job_ihist_t *j = (job_ihist_t *)job;
    const int slot = (int)(j->n_collected % IHIST_SLOTS);
    const void *tiles = NULL;
    status_t st = ST_OK;

    if (j->device != NULL)
        st = j->backend->wait(j->device, slot, &tiles, NULL);
    if (st != ST_OK)
        return st;
    j->batches[slot].tiles = tiles;
    j->slot_of[place] = slot;
    j->n_collected++;
    return ST_OK;
}

status_t job_ihist_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    job_ihist_t *j = (job_ihist_t *)job;
    const ihist_backend_t *on_thread = j->device == NULL ? j->backend : NULL;
    const job_ihist_batch_t *b = &j->batches[j->slot_of[place]];
    const int64_t n = ihist_tile_values(&j->shape);
    const int64_t n_tiles = job_ihist_run_of(j, b->tasks[k]).n;
    const size_t bytes = job_ihist_tile_bytes(j);
    ihist_thread_t *t = &j->threads[thread];
    status_t st = t->spare == NULL ? job_ihist_thread_begin(j, on_thread, t) : ST_OK;

    if (st == ST_OK && on_thread != NULL)
        st = job_ihist_compute(j, on_thread, b->tasks[k], t);
    for (int64_t i = 0; st == ST_OK && i < n_tiles; i++) {
        const void *values =
            (on_thread != NULL ? t->values : b->tiles + b->at[k]) + (size_t)i * bytes;

        st = j->shape.is_wide ? tile_pack_append64(values, n, (void *)t->spare, out)
                              : tile_pack_append(values, n, (void *)t->spare, out);
    }
    return st;
}
