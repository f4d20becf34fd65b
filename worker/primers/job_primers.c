/*
 * job_primers.c - the job "primers": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/primers/job_primers_state.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tasks of a batch, at most. */
static const int max_tasks[DEVICE_N_KINDS] = {[DEVICE_CPU] = 64, [DEVICE_CUDA] = 256};

/* Of places that a GPU finds at once, at most. */
static const int64_t loaded_bytes = 256 << 20;

static status_t begin(job_t *job, exchange_t *x)
{
    job_primers_t *j = (job_primers_t *)job;
    status_t st;

    j->opts = (const primers_opts_t *)job->opts;
    if ((st = job_primers_read(j, x)) != ST_OK)
        return st;
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = (job_primers_n_reads(j) + JOB_PRIMERS_BLOCK - 1) /
                                        JOB_PRIMERS_BLOCK,
                             .task_word = "blocks",
                             .item_word =
                                 job_primers_n_files(j) == 2 ? "pairs of reads" : "reads",
                             .cost_word = "comparisons"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    return job_primers_len((const job_primers_t *)job, task);
}

/* Each base of each primer, on both strands, with each place. */
static int64_t cost(const job_t *job, int64_t task)
{
    const job_primers_t *j = (const job_primers_t *)job;
    const int64_t step = job_primers_n_files(j), first = task * JOB_PRIMERS_BLOCK;
    const int64_t end = first + job_primers_len(j, task);
    int64_t n_bases = 0;

    for (int q = 0; q < j->n_pairs; q++)
        n_bases += 2 * (j->pairs[q].forward.len + j->pairs[q].reverse.len);
    return (j->text.first_word[end * step] - j->text.first_word[first * step]) * 64 *
           n_bases;
}

static status_t opened(job_t *job)
{
    const job_primers_t *j = (const job_primers_t *)job;

    log_info("%s: %" PRId64
             " %s, %d pair%s of primers with at most %d mismatches in each",
             j->reads[0].name, job_primers_n_reads(j), job->plan.item_word, j->n_pairs,
             plural(j->n_pairs), primer_trim_mismatches(&j->opts->primers));
    return ST_OK;
}

/* ---- batches ---- */

/* Limit batches by what is loaded at once. */
static int max_batch_of(const job_primers_t *j, device_kind_t kind)
{
    const int64_t n_words = j->text.first_word[j->text.n];
    const int64_t word_bytes = primer_search_word_bytes(j->search);
    const int64_t n_tasks = j->base.plan.n_tasks > 0 ? j->base.plan.n_tasks : 1;
    const int64_t n = loaded_bytes / (word_bytes * (n_words / n_tasks) + 1);

    return n < 1 ? 1 : n < max_tasks[kind] ? (int)n : max_tasks[kind];
}

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_primers_t *j = (job_primers_t *)job;
    const primer_search_opts_t opts = job_primers_search_opts(j);
    const backend_t *backend;
    status_t st = primer_search_create(
        &job->device, backend_name_on(&primer_table, job->opts->kernel, job->device.kind),
        job->pool, &j->text, j->pairs, j->n_pairs, &opts, &j->search);

    if (st != ST_OK)
        return st;
    job->depth = 1;
    job->max_batch = max_batch_of(j, job->device.kind);
    job->result_bytes = sizeof(buf_t); /* of primer_region_t */
    backend = primer_search_backend(j->search);
    *kernel_name = backend->name;
    *guess = backend_rate(backend, job->pool);
    return ST_OK;
}

static void release(job_t *job)
{
    job_primers_t *j = (job_primers_t *)job;

    primer_search_destroy(j->search);
    j->search = NULL;
}

static void free_result(void *result)
{
    buf_free(result);
}

typedef struct {
    job_primers_t *j;
    const int64_t *tasks;
    buf_t *found;
    int failed; /* a status_t; any of those that failed */
} run_t;

static void find_task(void *ctx, int64_t k, int thread)
{
    run_t *r = ctx;
    status_t st;

    if (job_is_cancelled(&r->j->base))
        return;
    r->found[k].len = 0;
    st = primer_search_find(r->j->search, r->tasks[k] * JOB_PRIMERS_BLOCK,
                            job_primers_len(r->j, r->tasks[k]), thread, &r->found[k]);
    if (st != ST_OK)
        __atomic_store_n(&r->failed, (int)st, __ATOMIC_RELAXED);
}

/* Tasks that follow each other are loaded together; where nothing is, all are found at
 * once. */
static status_t collect(job_t *job, int place)
{
    job_primers_t *j = (job_primers_t *)job;
    const job_batch_t *b = &job->collected[place];
    const bool is_loaded = primer_search_word_bytes(j->search) > 0;
    status_t st = ST_OK;

    for (int k = 0, n; st == ST_OK && k < b->n; k += n) {
        const int64_t first = b->tasks[k];
        run_t run = {j, b->tasks + k, job_result(job, place, k), ST_OK};

        for (n = 1; k + n < b->n && (!is_loaded || b->tasks[k + n] == first + n);)
            n++;
        if (is_loaded)
            st = primer_search_load(j->search, first * JOB_PRIMERS_BLOCK,
                                    (int64_t)(n - 1) * JOB_PRIMERS_BLOCK +
                                        job_primers_len(j, first + n - 1));
        if (st == ST_OK) {
            pool_run(job->pool, n, find_task, &run);
            st = (status_t)run.failed;
        }
    }
    return st;
}

static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const buf_t *found = job_result(job, place, k);
    const int64_t n = (int64_t)(found->len / sizeof(primer_region_t));
    const status_t st = buf_append(out, &n, sizeof(n));

    (void)thread;
    return st == ST_OK ? buf_append(out, found->data, found->len) : st;
}

static void free_job(job_t *job)
{
    job_primers_t *j = (job_primers_t *)job;

    primer_search_destroy(j->checker);
    taxonomy_destroy(j->taxonomy);
    primer_panel_free(&j->panel);
    for (int f = 0; f < 2; f++)
        reads_free(&j->reads[f]);
    free(j->pairs);
    base_planes_free(&j->text);
}

const job_ops_t job_primers_ops = {
    .name = "primers",
    .has_short_tasks = true,
    .size = sizeof(job_primers_t),
    .settle = primers_opts_settle,
    .outputs = job_primers_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_primers_describe,
    .check_record = job_primers_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .free_result = free_result,
    .collect = collect,
    .pack = pack,
    .write_result = job_primers_write_result,
    .free = free_job,
};
