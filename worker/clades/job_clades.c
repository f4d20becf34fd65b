/*
 * job_clades.c - the job "clades": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/clades/job_clades_state.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/file/memfd_stream.h"

#include <inttypes.h>
#include <stdlib.h>

/* Pairs that a thread counts per second: a guess. */
static const double pairs_per_s = 2e7;

enum { MAX_BATCH = 16 };

/* Every rank reads pairs. */
static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    clades_opts_t *o = (clades_opts_t *)opts;

    opts->reads_again = true;
    *out = (job_reader_t){.is_needed = true,
                          .on_all_ranks = true,
                          .answer = clades_child_answer,
                          .files = {o->input}};
    return memfd_stream_create("taxa", &o->stream);
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_clades_t *j = (job_clades_t *)job;

    j->opts = (const clades_opts_t *)job->opts;
    job->plan =
        (job_plan_t){.kind = JOB_FREE, .task_word = "rectangles", .item_word = "pairs"};
    return job_clades_read(j, x);
}

/* Of a rectangle on the diagonal, those above it. */
static int64_t items(const job_t *job, int64_t task)
{
    const pairs_region_t *r = &((const job_clades_t *)job)->tasks[task];
    int64_t n = 0;

    for (int64_t i = r->row0; i < r->row1; i++)
        n += i + 1 < r->col0 ? r->col1 - r->col0 : i + 1 < r->col1 ? r->col1 - i - 1 : 0;
    return n;
}

static int64_t cost(const job_t *job, int64_t task)
{
    return items(job, task) + 1; /* the last one of a file may have none */
}

static status_t opened(job_t *job)
{
    const clades_t *c = &((const job_clades_t *)job)->in.plan;

    log_info("%s: %" PRId64 " sequence%s, %" PRId64 " %s, %" PRId64 " block%s, %" PRId64
             " bins",
             ((const job_clades_t *)job)->opts->input, c->n, plural(c->n), c->n_taxa - 1,
             c->n_taxa == 2 ? "taxon" : "taxa", c->n_cuts, plural(c->n_cuts), c->n_bins);
    return ST_OK;
}

/* ---- batches ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job->depth = 1;
    job->max_batch = MAX_BATCH;
    job->result_bytes = sizeof(buf_t); /* of clades_pair_t */
    *kernel_name = "counts";
    *guess = pairs_per_s;
    return ST_OK;
}

static void release(job_t *job)
{
    (void)job;
}

static void free_result(void *result)
{
    buf_free(result);
}

static status_t collect(job_t *job, int place)
{
    const job_batch_t *b = &job->collected[place];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < b->n && !job_is_cancelled(job); k++)
        st = job_clades_read_pairs((job_clades_t *)job, b->tasks[k],
                                   job_result(job, place, k));
    return st;
}

/* Pairs are counted while the next ones are read. */
static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    (void)thread;
    return job_clades_count((const job_clades_t *)job, job->collected[place].tasks[k],
                            job_result(job, place, k), out);
}

static void free_job(job_t *job)
{
    job_clades_t *j = (job_clades_t *)job;

    clades_free(&j->in.plan);
    free(j->in.lengths);
    clades_map_free(&j->map);
    pairs_close(j->file);
    free(j->tasks);
}

const job_ops_t job_clades_ops = {
    .name = "clades",
    .has_short_tasks = true,
    .size = sizeof(job_clades_t),
    .settle = clades_opts_settle,
    .reader = reader,
    .outputs = job_clades_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_clades_describe,
    .check_record = job_clades_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .free_result = free_result,
    .collect = collect,
    .pack = pack,
    .write_result = job_clades_write_result,
    .free = free_job,
};
