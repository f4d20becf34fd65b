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

status_t job_ihist_thread_begin(const job_ihist_t *j, const ihist_backend_t *backend,
                                ihist_thread_t *out)
{
    const size_t bytes = job_ihist_tile_bytes(j);
    ihist_thread_t t = {.values = malloc((size_t)j->n_together * bytes),
                        .spare = malloc(bytes)};
    status_t st = t.values != NULL && t.spare != NULL
                      ? backend->create(&j->shape, &t.state)
                      : log_nomem("an integral histogram");

    if (st == ST_OK)
        *out = t;
    else
        job_ihist_thread_end(backend, &t);
    return st;
}

void job_ihist_thread_end(const ihist_backend_t *backend, ihist_thread_t *t)
{
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

status_t job_ihist_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    job_ihist_t *j = (job_ihist_t *)job;
    const int64_t task = job->collected[place].tasks[k];
    const int64_t n = ihist_tile_values(&j->shape), n_tiles = job_ihist_run_of(j, task).n;
    const size_t bytes = job_ihist_tile_bytes(j);
    ihist_thread_t *t = &j->threads[thread];
    status_t st = t->values == NULL ? job_ihist_thread_begin(j, j->backend, t) : ST_OK;

    if (st == ST_OK)
        st = job_ihist_compute(j, j->backend, task, t);
    for (int64_t i = 0; st == ST_OK && i < n_tiles; i++) {
        const void *values = t->values + (size_t)i * bytes;

        st = j->shape.is_wide ? tile_pack_append64(values, n, (void *)t->spare, out)
                              : tile_pack_append(values, n, (void *)t->spare, out);
    }
    return st;
}
