/*
 * job_ihist.c - the job "ihist": its beginning, its batches, and its table of functions.
 */
#include "worker/ihist/job_ihist_state.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/plural.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of tiles that a GPU copies at a time, if that is one task at least. */
enum { GPU_BATCH_BYTES = 64 << 20 };

static status_t answer(const void *opts, int question, buf_t *out)
{
    (void)question; /* there is one */
    (void)out;
    return image_exchange_answer(&((const ihist_opts_t *)opts)->first);
}

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    ihist_opts_t *o = (ihist_opts_t *)opts;
    const status_t st = image_exchange_prepare(&o->first);

    *out = (job_reader_t){.is_needed = o->first.stream >= 0,
                          .answer = answer,
                          .files = {o->files[0]}};
    return st;
}

/* ---- begin ---- */

static void set_shape(job_ihist_t *j)
{
    int64_t across;

    j->shape = (ihist_shape_t){.height = j->set.size[1],
                               .width = j->set.size[2],
                               .n_bins = j->opts->n_bins,
                               .side = j->opts->side};
    j->shape.is_wide = ihist_needs_wide(j->shape.height, j->shape.width);
    across = ihist_tiles_across(&j->shape);
    j->n_together = JOB_IHIST_VALUES / ihist_tile_values(&j->shape);
    j->n_together = j->n_together < 1        ? 1
                    : j->n_together > across ? across
                                             : j->n_together;
}

/* Refuse what is larger than memory or disk, before any of it is computed. */
static status_t check_size(const job_ihist_t *j, int n_threads)
{
    const double images = (double)j->set.n * (double)image_set_values(&j->set);
    const double need = images + (n_threads + 1) * job_ihist_thread_bytes(j);
    const status_t st =
        memory_limit_check(need,
                           "give fewer --bins, a smaller --tile-side or fewer "
                           "--threads",
                           "%" PRId64 " image%s and their tiles in %d thread%s", j->set.n,
                           plural(j->set.n), n_threads, plural(n_threads));

    return st == ST_OK && j->opts->common.output != NULL
               ? job_output_check_disk(
                     &j->base,
                     (double)j->set.n * (double)ihist_n_tiles(&j->shape) *
                         (double)job_ihist_tile_bytes(j),
                     "fewer --bins, fewer images, or -o on a larger disk")
               : st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_ihist_t *j = (job_ihist_t *)job;
    status_t st;

    j->opts = (const ihist_opts_t *)job->opts;
    if ((st = job_ihist_read(j, x)) != ST_OK)
        return st;
    set_shape(j);
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = j->set.n * job_ihist_frame_tasks(j),
                             .task_word = "strips",
                             .item_word = "tiles",
                             .cost_word = "values"};
    return exchange_agree(x, x->rank == 0 ? check_size(j, pool_n_threads(job->pool))
                                          : ST_OK);
}

static int64_t items(const job_t *job, int64_t task)
{
    return job_ihist_run_of((const job_ihist_t *)job, task).n;
}

static int64_t cost(const job_t *job, int64_t task)
{
    return items(job, task) * ihist_tile_values(&((const job_ihist_t *)job)->shape);
}

static status_t opened(job_t *job)
{
    const job_ihist_t *j = (const job_ihist_t *)job;
    const ihist_shape_t *s = &j->shape;

    log_info("%" PRId64 " image%s of %" PRId64 " x %" PRId64 " pixels, %" PRId64
             " bin%s, %" PRId64 " tile%s of %" PRId64 " x %" PRId64,
             j->set.n, plural(j->set.n), s->width, s->height, s->n_bins,
             plural(s->n_bins), j->set.n * ihist_n_tiles(s),
             plural(j->set.n * ihist_n_tiles(s)), s->side, s->side);
    return ST_OK;
}

/* ---- batches ---- */

/* @return tasks of a batch, at most */
static int max_batch_of(const job_ihist_t *j)
{
    const int64_t bytes = j->n_together * (int64_t)job_ihist_tile_bytes(j);
    const int64_t n = GPU_BATCH_BYTES / bytes;

    return j->device == NULL || n > JOB_IHIST_BATCH ? JOB_IHIST_BATCH
           : n < 1                                  ? 1
                                                    : (int)n;
}

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_ihist_t *j = (job_ihist_t *)job;
    const bool may_change = strcmp(job->opts->device, "auto") == 0;
    const backend_request_t request = {.name = backend_name_on(&ihist_table,
                                                               job->opts->kernel,
                                                               job->device.kind),
                                       .device = &job->device,
                                       .fallback = may_change ? &job->device : NULL,
                                       .what = "such integral histograms"};
    const ihist_context_t context = {j->shape, &job->device, {j->set.bytes, j->set.n}};
    const backend_t *row;
    void *state = NULL;
    status_t st = backend_open(&ihist_table, &request, &context, &row, &state);

    if (st != ST_OK)
        return st;
    j->backend = (const ihist_backend_t *)row;
    if (device_is_gpu(&job->device))
        j->device = state;
    else
        j->backend->destroy(state); /* threads have their own */
    j->n_threads = pool_n_threads(job->pool);
    if ((j->threads = calloc((size_t)j->n_threads, sizeof(*j->threads))) == NULL)
        return log_nomem("integral histograms");
    job->depth = j->device != NULL ? 2 : 1;
    job->max_batch = max_batch_of(j);
    *kernel_name = row->name;
    *guess = backend_rate(row, job->pool) / 10; /* most of the time is compression */
    return ST_OK;
}

static void release(job_t *job)
{
    job_ihist_t *j = (job_ihist_t *)job;

    for (int k = 0; j->threads != NULL && k < j->n_threads; k++)
        job_ihist_thread_end(j->backend, &j->threads[k]);
    free(j->threads);
    j->threads = NULL;
    if (j->device != NULL)
        j->backend->destroy(j->device);
    j->device = NULL;
    j->n_submitted = j->n_collected = 0;
}

static void free_job(job_t *job)
{
    image_set_free(&((job_ihist_t *)job)->set);
}

const job_ops_t job_ihist_ops = {
    .name = "ihist",
    .has_short_tasks = true,
    .size = sizeof(job_ihist_t),
    .settle = ihist_opts_settle,
    .reader = reader,
    .outputs = job_ihist_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_ihist_describe,
    .check_record = job_ihist_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .submit = job_ihist_submit,
    .collect = job_ihist_collect,
    .pack = job_ihist_pack,
    .write_result = job_ihist_write_result,
    .free = free_job,
};
