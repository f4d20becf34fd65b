/*
 * job_chimeras.c - the job "chimeras": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/chimera/job_chimeras_state.h"

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tasks of a batch, at most. */
static const int max_tasks[DEVICE_N_KINDS] = {[DEVICE_CPU] = 16, [DEVICE_CUDA] = 128};

static status_t begin(job_t *job, exchange_t *x)
{
    job_chimeras_t *j = (job_chimeras_t *)job;
    status_t st;

    j->opts = (const chimera_opts_t *)job->opts;
    if ((st = job_chimeras_read(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = job_chimeras_n_tasks(j),
                             .task_word = "blocks",
                             .item_word = "reads"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    const job_chimeras_t *j = (const job_chimeras_t *)job;

    return job_chimeras_end(j, task) - task * JOB_CHIMERAS_BLOCK;
}

/* Bases of reads times their targets. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_chimeras_t *j = (const job_chimeras_t *)job;
    int64_t sum = 0;

    for (int64_t i = task * JOB_CHIMERAS_BLOCK; i < job_chimeras_end(j, task); i++)
        sum += seqset_len(j->in.reads, i) * (j->n_targets[i] + 1);
    return sum;
}

static status_t opened(job_t *job)
{
    const job_chimeras_t *j = (const job_chimeras_t *)job;

    if (j->references != NULL)
        log_info("%s: %" PRId64 " reads against the %" PRId64 " references of %s",
                 j->in.files.label, j->in.reads->n, j->references->n, j->opts->against);
    else
        log_info("%s: %" PRId64 " reads, %" PRId64 " of which are abundant enough to be "
                 "parents",
                 j->in.files.label, j->in.reads->n,
                 j->in.reads->n > 0 ? j->n_targets[j->in.reads->n - 1] : 0);
    return ST_OK;
}

/* ---- batches ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_chimeras_t *j = (job_chimeras_t *)job;
    status_t st;

    job->depth = 1;
    job->max_batch = max_tasks[job->device.kind];
    *kernel_name = "none";
    *guess = 1;
    if (job_chimeras_n_tasks(j) == 0)
        return ST_OK;
    st = chimera_search_create(&(chimera_search_context_t){.device = &job->device,
                                                           .pool = job->pool,
                                                           .cancel = &job->cancel,
                                                           .kernel = job->opts->kernel,
                                                           .reads = j->in.reads,
                                                           .targets =
                                                               job_chimeras_targets(j),
                                                           .n_hits =
                                                               job_chimeras_n_hits(j)},
                               &j->search);
    if (st != ST_OK)
        return st;
    *kernel_name = chimera_search_kernel(j->search);
    *guess = chimera_search_guess(j->search) / (double)seqset_max_len(j->in.reads);
    return ST_OK;
}

static void release(job_t *job)
{
    job_chimeras_t *j = (job_chimeras_t *)job;

    chimera_search_destroy(j->search);
    j->search = NULL;
    for (int p = 0; p < JOB_PLACES; p++) {
        free(j->collected[p].hits);
        j->collected[p] = (job_chimeras_batch_t){.capacity = 0};
    }
}

static status_t reserve(job_chimeras_batch_t *b, int64_t n)
{
    if (n <= b->capacity)
        return ST_OK;
    free(b->hits);
    b->capacity = 0;
    if ((b->hits = malloc((size_t)n * sizeof(*b->hits))) == NULL)
        return log_nomem("the hits of reads");
    b->capacity = n;
    return ST_OK;
}

static status_t collect(job_t *job, int place)
{
    job_chimeras_t *j = (job_chimeras_t *)job;
    job_chimeras_batch_t *b = &j->collected[place];
    const job_batch_t *batch = &job->collected[place];
    buf_t queries = {0};
    int64_t n = 0;
    status_t st = ST_OK;

    for (int k = 0; k < batch->n; k++)
        for (int64_t i = batch->tasks[k] * JOB_CHIMERAS_BLOCK;
             st == ST_OK && i < job_chimeras_end(j, batch->tasks[k]); i++, n++) {
            const chimera_query_t query = {.read = i, .n_targets = j->n_targets[i]};

            st = buf_append(&queries, &query, sizeof(query));
        }
    if (st == ST_OK && (st = reserve(b, n)) == ST_OK)
        st = chimera_search_find(j->search, (const void *)queries.data, n, b->hits);
    buf_free(&queries);
    return st == ST_ESTOPPED ? ST_OK : st; /* of a cancelled run no result is used */
}

/* Append the number of hits of a part, and the hits. */
static status_t pack_part(const int32_t *target, int max_hits, buf_t *out)
{
    int32_t n = 0;
    status_t st;

    while (n < max_hits && target[n] >= 0)
        n++;
    st = buf_append(out, &n, sizeof(n));
    return st == ST_OK ? buf_append(out, target, (size_t)n * sizeof(*target)) : st;
}

/* A record has the hits of its reads, part by part. */
static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_chimeras_t *j = (const job_chimeras_t *)job;
    const int64_t *tasks = job->collected[place].tasks;
    const chimera_hits_t *hits = j->collected[place].hits;
    status_t st = ST_OK;

    (void)thread;
    for (int earlier = 0; earlier < k; earlier++)
        hits += items(job, tasks[earlier]);
    for (int64_t i = 0; i < items(job, tasks[k]); i++)
        for (int p = 0; st == ST_OK && p < CHIMERA_PARTS; p++)
            st = pack_part(hits[i].target[p], job_chimeras_n_hits(j), out);
    return st;
}

static void free_job(job_t *job)
{
    job_chimeras_t *j = (job_chimeras_t *)job;

    amplicon_reads_free(&j->in);
    seqset_destroy(j->references);
    free(j->n_targets);
}

const job_ops_t job_chimeras_ops = {
    .name = "chimeras",
    .size = sizeof(job_chimeras_t),
    .settle = chimera_opts_settle,
    .outputs = job_chimeras_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_chimeras_describe,
    .check_record = job_chimeras_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .collect = collect,
    .pack = pack,
    .write_result = job_chimeras_write_result,
    .free = free_job,
};
