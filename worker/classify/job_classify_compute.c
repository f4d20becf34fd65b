/*
 * job_classify_compute.c - batches of reads through a kernel, and their records: of each
 * read its taxon, its strand, the method and the supports.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tasks of a batch, at most. */
static const int max_tasks[DEVICE_N_KINDS] = {[DEVICE_CPU] = 8, [DEVICE_CUDA] = 32};

_Static_assert((int)CLASS_NBC == CLASS_BY_NBC && (int)CLASS_ALIGN == CLASS_BY_ALIGN &&
                   (int)CLASS_JOINT == CLASS_BY_JOINT,
               "files have the numbers of the methods");

/* ---- the kernel ---- */

static nbc_context_t context_of(const job_classify_t *j)
{
    const class_opts_t *o = j->opts;

    return (nbc_context_t){.device = &j->base.device,
                           .pool = j->base.pool,
                           .model = j->counts,
                           .options = {.n_resamples = (int)o->n_resamples,
                                       .seed = (uint64_t)o->seed,
                                       .both_strands = o->strands == CLASS_STRANDS_BOTH}};
}

/* A GPU that was not asked for is left alone where it has no kernel for the model. */
static status_t open_kernel(job_classify_t *j)
{
    const job_opts_t *o = &j->opts->common;
    const nbc_context_t context = context_of(j);
    const backend_request_t request = {
        .name = backend_name_on(&nbc_table, o->kernel, j->base.device.kind),
        .device = &j->base.device,
        .fallback = strcmp(o->device, "auto") == 0 ? &j->base.device : NULL,
        .what = "reads with this model"};
    const backend_t *row;
    status_t st = backend_open(&nbc_table, &request, &context, &row, &j->kernel);

    if (st == ST_OK)
        j->backend = (const nbc_backend_t *)row;
    return st;
}

static status_t prepare_evidence(job_classify_t *j)
{
    const status_t st =
        class_scratch_create(j->counts, pool_n_threads(j->base.pool), &j->scratch);

    return st == ST_OK && j->known.model == NULL
               ? class_statistics_create(j->counts, j->base.pool, &j->known)
               : st;
}

static status_t prepare_align(job_classify_t *j)
{
    class_align_context_t context = {.device = &j->base.device,
                                     .pool = j->base.pool,
                                     .known = &j->known,
                                     .reads = j->reads,
                                     .both_strands =
                                         j->opts->strands == CLASS_STRANDS_BOTH,
                                     .cancel = &j->base.cancel};
    const status_t st = class_align_create(&context, &j->align);

    if (st != ST_OK || j->parts.train.n == 0)
        return st;
    context.reads = j->parts.parts;
    context.both_strands = false;
    return class_align_create(&context, &j->parts_align);
}

static status_t prepare_net(job_classify_t *j, const char **kernel_name, double *guess)
{
    status_t st = class_net_prepare(&j->net, j->opts, &j->base.device, j->base.pool);

    if (st != ST_OK)
        return st;
    *kernel_name = j->net.runner.backend->base.name;
    *guess = backend_rate(&j->net.runner.backend->base, j->base.pool);
    return ST_OK;
}

static status_t prepare(job_classify_t *j, const char **kernel_name, double *guess)
{
    status_t st;

    *kernel_name = "none";
    *guess = backend_rate(&nbc_cpu_backend.base, j->base.pool);
    if (job_classify_n_tasks(j) == 0)
        return ST_OK;
    if (class_net_exists(&j->net))
        return prepare_net(j, kernel_name, guess);
    if (j->counts == NULL &&
        (st = nbc_model_create(j->model.refs, j->class_of, &j->classes, j->base.pool,
                               &j->counts)) != ST_OK)
        return st;
    if ((j->opts->is_training || j->naming.method != CLASS_NBC || j->parts.train.n > 0) &&
        (st = prepare_evidence(j)) != ST_OK)
        return st;
    if (j->opts->is_training) {
        *kernel_name = "cpu";
        return job_classify_train_prepare(j);
    }
    if ((st = open_kernel(j)) != ST_OK ||
        (j->naming.method == CLASS_ALIGN && (st = prepare_align(j)) != ST_OK))
        return st;
    *kernel_name = j->backend->base.name;
    *guess = backend_rate(&j->backend->base, j->base.pool);
    return ST_OK;
}

status_t job_classify_prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_classify_t *j = (job_classify_t *)job;
    status_t st = prepare(j, kernel_name, guess);

    job->depth = 1;
    if (j->opts->is_training) {
        job->max_batch = pool_n_threads(job->pool);
    } else if (class_net_exists(&j->net)) {
        job->max_batch = 1; /* several batches of images already */
    } else {
        job->max_batch = max_tasks[job->device.kind];
        job->depth = NBC_DEPTH;
    }
    return st;
}

static void free_results(job_classify_collected_t *c)
{
    nbc_results_free(&c->results);
    free(c->found);
    free(c->evidence);
    free(c->absent);
    c->found = NULL;
    c->evidence = NULL;
    c->absent = NULL;
    c->capacity = 0;
}

void job_classify_release(job_t *job)
{
    job_classify_t *j = (job_classify_t *)job;

    if (j->backend != NULL)
        j->backend->destroy(j->kernel);
    j->backend = NULL;
    j->kernel = NULL;
    class_align_destroy(j->align);
    class_align_destroy(j->parts_align);
    j->align = j->parts_align = NULL;
    class_net_release(&j->net);
    job_classify_train_release(j);
    class_statistics_free(&j->known);
    class_scratch_destroy(j->scratch);
    j->scratch = NULL;
    nbc_model_destroy(j->counts);
    j->counts = NULL;
    j->n_submitted = j->n_collected = 0;
    for (int p = 0; p < JOB_PLACES; p++)
        free_results(&j->collected[p]);
}

/* ---- batches ---- */

/* @return whether the tasks are blocks of parts */
static bool is_of_parts(const job_classify_t *j, const job_classify_batch_t *b)
{
    return b->first_task >= job_classify_n_blocks(j);
}

/* Begin the first tasks that follow on each other and are of one kind. */
status_t job_classify_submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_classify_t *j = (job_classify_t *)job;
    job_classify_batch_t *batch = &j->submitted[j->n_submitted % JOB_DEPTH_MAX];
    int64_t first = tasks[0] * JOB_CLASSIFY_BLOCK;
    int count = 1;
    status_t st = ST_OK;

    batch->first_task = tasks[0];
    while (count < n && tasks[count] == tasks[0] + count &&
           (is_of_parts(j, batch) || tasks[count] < job_classify_n_blocks(j)))
        count++;
    batch->n_tasks = count;
    if (!j->opts->is_training && !is_of_parts(j, batch)) {
        batch->reads =
            (nbc_batch_t){j->reads, first, job_classify_end(j, tasks[count - 1]) - first};
        if (j->backend != NULL)
            st = j->backend->submit(j->kernel, &batch->reads);
    }
    if (st != ST_OK)
        return st;
    j->n_submitted++;
    *n_begun = count;
    return ST_OK;
}

static status_t reserve(const job_classify_t *j, job_classify_collected_t *c, int64_t n)
{
    status_t st;

    if (n <= c->capacity)
        return ST_OK;
    free_results(c);
    if ((st = nbc_results_create(n, j->classes.n_ranks, &c->results)) != ST_OK)
        return st;
    c->found = malloc((size_t)n * sizeof(*c->found));
    c->evidence = malloc((size_t)(n * j->classes.n_ranks) * sizeof(*c->evidence));
    if (c->found == NULL || c->evidence == NULL)
        return log_nomem("the results of the reads");
    c->capacity = n;
    return ST_OK;
}

/* Find the best hits, on the strand of naive Bayes. */
static status_t align_reads(job_classify_t *j, job_classify_collected_t *c)
{
    const nbc_batch_t *b = &c->batch.reads;
    class_align_query_t *queries = malloc((size_t)b->n * sizeof(*queries));
    status_t st;

    if (queries == NULL)
        return log_nomem("the best hits");
    for (int64_t i = 0; i < b->n; i++)
        queries[i] = (class_align_query_t){.read = b->first + i,
                                           .reversed = c->results.best[i].reversed,
                                           .candidate = c->results.best[i].class_number};
    st = class_align_find(j->align, queries, b->n, c->found, c->evidence);
    free(queries);
    return st == ST_ESTOPPED ? ST_OK : st; /* of a cancelled run no result is used */
}

typedef struct {
    const job_classify_t *j;
    job_classify_collected_t *collected;
} joint_run_t;

/* Collect the evidence by words for the lineage of a read's best class. */
static void find_by_words(void *ctx, int64_t k, int thread)
{
    const joint_run_t *run = ctx;
    const job_classify_t *j = run->j;
    const job_classify_collected_t *c = run->collected;

    class_evidence_of(&j->known,
                      &(class_read_t){j->reads, c->batch.reads.first + k, &c->results, k,
                                      (int)j->opts->n_resamples},
                      &j->scratch[thread], c->evidence + k * j->classes.n_ranks);
}

static status_t run_net(job_classify_t *j, job_classify_collected_t *c)
{
    const class_net_query_t query = {.classes = &j->classes,
                                     .class_of = j->class_of,
                                     .both_strands =
                                         j->opts->strands == CLASS_STRANDS_BOTH,
                                     .cancel = &j->base.cancel};

    return class_net_run(&j->net, &query, j->reads, c->batch.reads.first,
                         c->batch.reads.n, &c->results);
}

status_t job_classify_collect(job_t *job, int place)
{
    job_classify_t *j = (job_classify_t *)job;
    job_classify_collected_t *c = &j->collected[place];
    size_t n, n_cells;
    nbc_results_t results;
    status_t st;

    c->batch = j->submitted[j->n_collected++ % JOB_DEPTH_MAX];
    if (j->opts->is_training)
        return job_classify_train_compute(j, c);
    if (is_of_parts(j, &c->batch))
        return job_classify_parts_compute(j, c);
    if ((st = reserve(j, c, c->batch.reads.n)) != ST_OK)
        return st;
    if (class_net_exists(&j->net))
        return run_net(j, c);
    if ((st = j->backend->wait(j->kernel, &results)) != ST_OK)
        return st;
    n = (size_t)c->batch.reads.n;
    n_cells = n * (size_t)j->classes.n_ranks;
    memcpy(c->results.best, results.best, n * sizeof(*results.best));
    memcpy(c->results.support, results.support, n_cells * sizeof(*results.support));
    memcpy(c->results.rival, results.rival, n_cells * sizeof(*results.rival));
    if (j->naming.method == CLASS_JOINT)
        pool_run(j->base.pool, c->batch.reads.n, find_by_words, &(joint_run_t){j, c});
    return j->naming.method == CLASS_ALIGN ? align_reads(j, c) : ST_OK;
}

/* ---- records ---- */

/* @param k  of the place's batch @param out  [n_ranks] */
static void get_evidence(const job_classify_t *j, const job_classify_collected_t *c,
                         int64_t k, class_evidence_t *out)
{
    const int n_ranks = j->classes.n_ranks;
    const int one = j->naming.named_by == CLASS_BY_CNN ? CLASS_SUPPORT_ONE
                                                       : (int)j->opts->n_resamples;

    if (j->naming.method != CLASS_NBC) {
        memcpy(out, c->evidence + k * n_ranks, (size_t)n_ranks * sizeof(*out));
        return;
    }
    const int len = class_lineage_len(&j->classes, c->results.best[k].class_number);
    const uint16_t *support = c->results.support + k * n_ranks;
    for (int r = 0; r < n_ranks; r++)
        out[r] =
            (class_evidence_t){.support = (double)support[r] / one, .n_refs = r < len};
}

/* @param k  of the place's batch @param i  of out */
static void call_read(const job_classify_t *j, const job_classify_collected_t *c,
                      int64_t k, int64_t i, class_calls_t *out)
{
    const class_naming_t *n = &j->naming;
    const nbc_best_t *best = &c->results.best[k];
    const int32_t class_number =
        n->method == CLASS_ALIGN ? c->found[k] : best->class_number;
    class_evidence_t evidence[CLASS_RANKS_MAX];
    double support[CLASS_RANKS_MAX];

    out->method[i] = (uint8_t)n->named_by;
    out->reversed[i] = best->reversed;
    out->taxon[i] = -1;
    if (class_number < 0)
        return;
    out->taxon[i] = j->classes.taxon[class_number];
    get_evidence(j, c, k, evidence);
    class_rule_support(n->method, n->rules, n->n_ranks, evidence, support);
    for (int r = 0; r < n->n_ranks; r++)
        out->support[i * n->n_ranks + r] =
            (uint16_t)lround(support[r] * CLASS_SUPPORT_ONE);
}

/* An array of a record, and the bytes of a read in it. */
typedef struct {
    void *data;
    size_t bytes;
} column_t;

/* Names follow from the supports once all is known that thresholds depend on. */
enum { N_COLUMNS = 4 };

static void list_columns(const class_calls_t *c, column_t *out)
{
    const column_t columns[N_COLUMNS] = {
        {c->taxon, sizeof(*c->taxon)},
        {c->reversed, sizeof(*c->reversed)},
        {c->method, sizeof(*c->method)},
        {c->support, (size_t)c->n_ranks * sizeof(*c->support)},
    };

    memcpy(out, columns, sizeof(columns));
}

status_t job_classify_pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_classify_t *j = (const job_classify_t *)job;
    const job_classify_collected_t *c = &j->collected[place];
    const int64_t first = (int64_t)k * JOB_CLASSIFY_BLOCK;
    const int64_t left = c->batch.reads.n - first;
    class_calls_t calls;
    column_t columns[N_COLUMNS];
    status_t st;

    (void)thread;
    if (j->opts->is_training)
        return job_classify_train_pack(j, c, k, out);
    if (is_of_parts(j, &c->batch))
        return job_classify_parts_pack(j, c, k, out);
    if ((st = class_calls_create(left < JOB_CLASSIFY_BLOCK ? left : JOB_CLASSIFY_BLOCK,
                                 j->classes.n_ranks, &calls)) != ST_OK)
        return st;
    for (int64_t i = 0; i < calls.n; i++)
        call_read(j, c, first + i, i, &calls);
    list_columns(&calls, columns);
    for (int i = 0; st == ST_OK && i < N_COLUMNS; i++)
        st = buf_append(out, columns[i].data, (size_t)calls.n * columns[i].bytes);
    class_calls_free(&calls);
    return st;
}

status_t job_classify_unpack(const job_classify_t *j, int64_t task, const void *data,
                             size_t len, int64_t at, class_calls_t *out)
{
    const size_t n = (size_t)(job_classify_end(j, task) - task * JOB_CLASSIFY_BLOCK);
    const char *from = data;
    column_t columns[N_COLUMNS];
    size_t bytes = 0;

    list_columns(out, columns);
    for (int i = 0; i < N_COLUMNS; i++)
        bytes += columns[i].bytes;
    if (len != n * bytes)
        return ST_EINPUT;
    for (int i = 0; i < N_COLUMNS; i++) {
        memcpy((char *)columns[i].data + (size_t)at * columns[i].bytes, from,
               n * columns[i].bytes);
        from += n * columns[i].bytes;
    }
    return ST_OK;
}
