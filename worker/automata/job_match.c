/*
 * job_match.c - the job "automata match": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/automata/job_match_state.h"

#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/file/memfd_stream.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static status_t reader(job_opts_t *opts, job_reader_t *out)
{
    match_opts_t *o = (match_opts_t *)opts;
    status_t st = memfd_stream_create(automata_arrays.what, &o->stream);

    *out = (job_reader_t){.is_needed = o->stream >= 0,
                          .answer = match_child_answer,
                          .files = {o->automata}};
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_match_t *j = (job_match_t *)job;
    status_t st;

    j->opts = (const match_opts_t *)job->opts;
    if ((st = job_match_read(j, x)) != ST_OK)
        return st;
    job->plan =
        (job_plan_t){.kind = JOB_FREE,
                     .n_tasks = (j->n_bytes + JOB_MATCH_PIECE - 1) / JOB_MATCH_PIECE,
                     .task_word = "pieces",
                     .item_word = "bytes",
                     .cost_word = "bytes times patterns"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    const int64_t left = ((const job_match_t *)job)->n_bytes - task * JOB_MATCH_PIECE;

    return left < JOB_MATCH_PIECE ? left : JOB_MATCH_PIECE;
}

static int64_t cost(const job_t *job, int64_t task)
{
    return items(job, task) * ((const job_match_t *)job)->automata.nfa.n_patterns;
}

static status_t opened(job_t *job)
{
    const job_match_t *j = (const job_match_t *)job;

    log_info("%s: %" PRId64 " byte%s, %" PRId64 " pattern%s, %" PRId64
             " group%s of deterministic automata",
             j->opts->input, j->n_bytes, plural(j->n_bytes), j->automata.nfa.n_patterns,
             plural(j->automata.nfa.n_patterns), j->automata.dfas.n_groups,
             plural(j->automata.dfas.n_groups));
    return ST_OK;
}

/* ---- batches ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_match_t *j = (job_match_t *)job;
    const backend_request_t request = {.name =
                                           backend_name_on(&scan_table, job->opts->kernel,
                                                           job->device.kind),
                                       .device = &job->device,
                                       .what = "patterns"};
    const backend_t *row;
    status_t st;

    j->context = (scan_context_t){.device = &job->device,
                                  .nfa = &j->automata.nfa,
                                  .dfas = &j->automata.dfas,
                                  .n_threads = pool_n_threads(job->pool),
                                  .pool = job->pool,
                                  .cancel = &job->cancel};
    st = backend_open(&scan_table, &request, &j->context, &row, &j->scan);
    if (st != ST_OK)
        return st;
    j->backend = (const scan_backend_t *)row;
    job->depth = 1;
    job->max_batch = JOB_MATCH_BATCH;
    job->result_bytes = sizeof(scan_found_t);
    *kernel_name = row->name;
    *guess = backend_rate(row, job->pool);
    return ST_OK;
}

static void free_result(void *result)
{
    scan_found_free(result);
}

static void release(job_t *job)
{
    job_match_t *j = (job_match_t *)job;

    if (j->backend != NULL)
        j->backend->destroy(j->scan);
    j->backend = NULL;
    j->scan = NULL;
}

/* How many pieces are scanned depends on their matches, so they are scanned here. */
static status_t submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_match_t *j = (job_match_t *)job;
    scan_piece_t pieces[JOB_MATCH_BATCH];

    for (int k = 0; k < n; k++)
        pieces[k] = job_match_piece(j, tasks[k]);
    return scan_pieces(j->backend, j->scan, &j->context, pieces, n,
                       job->submitted.results, n_begun);
}

static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    scan_found_t *found = job_result(job, place, k);
    const job_match_head_t head = {(int64_t)(found->hits.len / sizeof(scan_hit_t)),
                                   (int64_t)(found->live.len / sizeof(int32_t))};
    status_t st = buf_append(out, &head, sizeof(head));

    (void)thread;
    if (st == ST_OK)
        st = buf_append(out, found->hits.data, found->hits.len);
    if (st == ST_OK)
        st = buf_append(out, found->live.data, found->live.len);
    scan_found_free(found);
    return st;
}

static void free_job(job_t *job)
{
    job_match_t *j = (job_match_t *)job;

    automata_free(&j->automata);
    free(j->bytes);
}

const job_ops_t job_match_ops = {
    .name = "automata match",
    .has_short_tasks = true,
    .size = sizeof(job_match_t),
    .settle = match_opts_settle,
    .reader = reader,
    .outputs = job_match_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_match_describe,
    .check_record = job_match_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .free_result = free_result,
    .submit = submit,
    .pack = pack,
    .write_result = job_match_write_result,
    .free = free_job,
};
