/*
 * job_denoise.c - the job "denoise": its beginning, its batches, and its table of
 * functions.
 */
#include "worker/denoise/job_denoise_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tasks of a batch, at most. */
static const int max_tasks[DEVICE_N_KINDS] = {[DEVICE_CPU] = 16, [DEVICE_CUDA] = 1024};

static status_t read_input(job_denoise_t *j)
{
    const denoise_opts_t *o = j->opts;
    status_t st = amplicon_reads_read(&o->reads, j->base.pool, true, o->min_size, &j->in);

    if (st == ST_OK && j->in.input->n == 0)
        log_warn("%s holds no sequence: there are no ASVs", j->in.files.label);
    else if (st == ST_OK && j->in.reads->n == 0)
        log_warn("%s: no read has an abundance of %" PRId64
                 ", so there are no ASVs; give %sa lower --min-size",
                 j->in.files.label, o->min_size,
                 o->reads.prepare.derep
                     ? ""
                     : "dereplicated reads with ';size=N' in their names, --derep, or ");
    return st;
}

static status_t begin(job_t *job, exchange_t *x)
{
    job_denoise_t *j = (job_denoise_t *)job;
    status_t st;

    j->opts = (const denoise_opts_t *)job->opts;
    if ((st = exchange_agree(x, x->rank == 0 ? read_input(j) : ST_OK)) != ST_OK ||
        (st = exchange_object(x, &amplicon_reads_arrays, &j->in)) != ST_OK)
        return st;
    if (j->in.reads->n > 0)
        j->grid = tile_grid_coarser(tile_grid(j->in.reads), TILE_SIDE_FILTERED);
    job->plan = (job_plan_t){.kind = JOB_FREE,
                             .n_tasks = j->grid.n_tiles,
                             .task_word = "tiles",
                             .item_word = "pairs"};
    return ST_OK;
}

static int64_t items(const job_t *job, int64_t task)
{
    const tile_t tile = tile_at(&((const job_denoise_t *)job)->grid, task);

    return tile_pairs(&tile);
}

static int64_t cost(const job_t *job, int64_t task)
{
    const job_denoise_t *j = (const job_denoise_t *)job;
    const tile_t tile = tile_at(&j->grid, task);

    return tile_cells(&tile, j->in.reads);
}

static status_t opened(job_t *job)
{
    const job_denoise_t *j = (const job_denoise_t *)job;

    log_info("%s: %" PRId64 " reads, %" PRId64 " of which have an abundance of at least "
             "%" PRId64,
             j->in.files.label, j->in.input->n, j->in.reads->n, j->opts->min_size);
    return ST_OK;
}

/* ---- batches ---- */

static status_t prepare(job_t *job, const char **kernel_name, double *guess)
{
    job_denoise_t *j = (job_denoise_t *)job;
    status_t st;

    job->depth = 1;
    job->max_batch = max_tasks[job->device.kind];
    *kernel_name = "none";
    *guess = 1;
    if (j->grid.n_tiles == 0)
        return ST_OK;
    if ((j->tiles = malloc((size_t)job->max_batch * sizeof(*j->tiles))) == NULL)
        return log_nomem("tiles");
    st = denoise_search_create(&(denoise_search_context_t){.device = &job->device,
                                                           .pool = job->pool,
                                                           .cancel = &job->cancel,
                                                           .kernel = job->opts->kernel,
                                                           .reads = j->in.reads,
                                                           .size = j->in.size,
                                                           .alpha = j->opts->alpha},
                               &j->search);
    if (st != ST_OK)
        return st;
    *kernel_name = denoise_search_kernel(j->search);
    *guess = denoise_search_guess(j->search);
    return ST_OK;
}

static void release(job_t *job)
{
    job_denoise_t *j = (job_denoise_t *)job;

    denoise_search_destroy(j->search);
    free(j->tiles);
    j->search = NULL;
    j->tiles = NULL;
    for (int p = 0; p < JOB_PLACES; p++) {
        buf_free(&j->collected[p].edges);
        free(j->collected[p].first);
        j->collected[p] = (job_denoise_batch_t){.capacity = 0};
    }
}

static status_t submit(job_t *job, const int64_t *tasks, int n, int *n_begun)
{
    job_denoise_t *j = (job_denoise_t *)job;
    status_t st;

    for (int k = 0; k < n; k++)
        j->tiles[k] = tile_at(&j->grid, tasks[k]);
    st = denoise_search_list(j->search, j->tiles, n, j->grid.side, &j->n_submitted);
    *n_begun = j->n_submitted;
    return st;
}

static status_t collect(job_t *job, int place)
{
    job_denoise_t *j = (job_denoise_t *)job;
    job_denoise_batch_t *b = &j->collected[place];

    if (j->n_submitted > b->capacity || b->first == NULL) {
        free(b->first);
        b->capacity = 0;
        b->first = malloc(((size_t)j->n_submitted + 1) * sizeof(*b->first));
        if (b->first == NULL)
            return log_nomem("the edges of reads");
        b->capacity = j->n_submitted;
    }
    return denoise_search_find(j->search, &b->edges, b->first);
}

/* A record has the number of edges, and the edges. */
static status_t pack(job_t *job, int place, int k, int thread, buf_t *out)
{
    const job_denoise_batch_t *b = &((const job_denoise_t *)job)->collected[place];
    const denoise_edge_t *edges = (const void *)b->edges.data;

    const int64_t n = b->first[k + 1] - b->first[k];
    const status_t st = buf_append(out, &n, sizeof(n));

    (void)thread;
    return st == ST_OK ? buf_append(out, edges + b->first[k], (size_t)n * sizeof(*edges))
                       : st;
}

static void free_job(job_t *job)
{
    amplicon_reads_free(&((job_denoise_t *)job)->in);
}

const job_ops_t job_denoise_ops = {
    .name = "denoise",
    .size = sizeof(job_denoise_t),
    .settle = denoise_opts_settle,
    .outputs = job_denoise_outputs,
    .begin = begin,
    .cost = cost,
    .items = items,
    .describe = job_denoise_describe,
    .check_record = job_denoise_check_record,
    .opened = opened,
    .prepare = prepare,
    .release = release,
    .submit = submit,
    .collect = collect,
    .pack = pack,
    .write_result = job_denoise_write_result,
    .free = free_job,
};
