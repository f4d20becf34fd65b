#include "worker/align/job_align.h"

#include "io/base/logmsg.h"
#include "worker/align/job_align_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CIGARs are a hundred times as large as the rest: a tile of them should be no burden.
 * Of hits there are as many as a filter passes. */
enum { CIGAR_SIDE_MAX = 64, CIGAR_SIDE_FILTERED = 512 };

static status_t make_spec(job_align_t *j)
{
    static const int n_datasets[] = {PAIRS_N_SCORE, PAIRS_N_IDENTITY, PAIRS_N_CIGAR};
    const align_opts_t *o = j->opts;
    score_matrix_t matrix;
    status_t st;

    /* pairs and results, which travel, take of what is given, too: an eighth at most */
    j->spec =
        (align_spec_t){.emit = o->emit, .ends = o->ends, .min_overlap = o->min_overlap};
    j->run = (align_run_t){.band = o->band,
                           .cancel = &j->cancel,
                           .device_bytes = o->device_bytes - o->device_bytes / 8};
    j->n_datasets = n_datasets[o->emit];
    if (o->matrix == NULL) {
        align_scoring_set(&j->spec.scoring, o->ambiguity, o->match, o->mismatch, o->gap);
        job_align_identity_choose(j);
        return ST_OK;
    }
    if ((st = matrix_file_read(o->matrix, &matrix)) != ST_OK)
        return st;
    align_scoring_set_matrix(&j->spec.scoring, &matrix, o->gap);
    job_align_identity_choose(j);
    for (int64_t i = 0; i < j->set->n; i++)
        for (int64_t k = 0; k < seqset_len(j->set, i); k++)
            if (!matrix.has[seqset_letters(j->set, i)[k]]) {
                int64_t record;
                const char *path = job_align_origin(j, i, &record);

                log_error("%s: record %" PRId64
                          " '%s' has the letter %c%s, which %s does not "
                          "score; add it to the matrix",
                          path, record + 1,
                          seqset_name(j->set, i < j->col_first ? record : i),
                          alphabet_letter(seqset_letters(j->set, i)[k]),
                          i >= j->n_queries && i < j->col_first
                              ? " as its reverse complement"
                              : "",
                          o->matrix);
                return ST_EINPUT;
            }
    return ST_OK;
}

/* The values of a pair; of a CIGAR's text, which depends on how alike sequences are, a
 * byte a letter. */
static double bytes_a_pair(const job_align_t *j)
{
    double bytes = 4.0 * j->n_datasets;

    if (j->opts->emit == EMIT_CIGAR && j->set->n > 0)
        bytes += 8 + (double)j->set->offset[j->set->n] / (double)j->set->n;
    return bytes;
}

/* The raw size of the result; what is stored is smaller, by how much nobody knows. */
static status_t check_sizes(const job_align_t *j)
{
    static const char *const smaller[] = {"", ", or give --emit score, a third of that",
                                          ", or give --emit identity"};
    int64_t longest = seqset_max_len(j->set), n = j->set->n;
    align_range_t range = align_range(&j->spec, longest, longest);
    double bytes = 0.5 * (double)n * (double)n * bytes_a_pair(j);

    if (n > INT32_MAX) {
        log_error("%s: %" PRId64 " sequences%s are more than 2147483647; split the file",
                  j->opts->input, n,
                  j->opts->against != NULL ? ", strands and references counted," : "");
        return ST_EINPUT;
    }
    if (range.min < INT32_MIN || range.max > INT32_MAX) {
        log_error("%s: scores of two sequences of %" PRId64
                  " letters could leave 32 bits; "
                  "give smaller --match, --mismatch, --gap",
                  j->opts->input, longest);
        return ST_EINPUT;
    }
    if (!j->is_sparse && bytes > (double)j->opts->max_output_bytes) {
        log_error("%s: %" PRId64
                  " sequences make %.0f GiB of results before compression, more "
                  "than --max-output; raise it%s; with --id only similar pairs are kept",
                  j->opts->input, n, bytes / (1 << 30), smaller[j->opts->emit]);
        return ST_EINPUT;
    }
    if (j->spec.emit == EMIT_CIGAR && longest > CIGAR_RUN_MAX) {
        log_error("%s: a sequence has %" PRId64 " letters, too many for a CIGAR%s; give "
                  "%s",
                  j->opts->input, longest,
                  j->opts->emit == EMIT_CIGAR ? "" : ", of which identities are made",
                  j->opts->emit == EMIT_CIGAR ? "--emit identity" : "no --iddef");
        return ST_EINPUT;
    }
    return ST_OK;
}

/* The side is a function of the sequences and the options, so that all ranks and every
 * run cut alike. */
static tile_grid_t make_grid(const job_align_t *j)
{
    bool few = j->spec.emit == EMIT_CIGAR && j->opts->against == NULL;
    tile_grid_t grid = j->opts->against != NULL
                           ? tile_grid_against(j->set, j->n_queries, j->col_first)
                           : tile_grid(j->set);

    if (few && grid.side > CIGAR_SIDE_MAX)
        grid = tile_grid_of(j->set->n, CIGAR_SIDE_MAX);
    if (!job_align_may_filter(j))
        return grid;
    return tile_grid_coarser(grid, j->spec.emit == EMIT_CIGAR ? CIGAR_SIDE_FILTERED
                                                              : TILE_SIDE_FILTERED);
}

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_align_t *j = job;
    status_t st = job_align_read(j, x);

    if (st != ST_OK)
        return st;
    if (x->rank == 0 && (st = make_spec(j)) == ST_OK)
        st = check_sizes(j);
    if ((st = exchange_agree(x, st)) != ST_OK) /* rank 0 has said why, once */
        return st;
    if (x->rank != 0)
        st = make_spec(j);
    if ((st = exchange_agree(x, st)) != ST_OK)
        return st;
    j->grid = make_grid(j);
    *out = (job_plan_t){.kind = JOB_FREE,
                        .n_tasks = j->grid.n_tiles,
                        .task_word = "tiles",
                        .item_word = "pairs",
                        .cost_word = "cells",
                        .rate_word = "CUPS"};
    return ST_OK;
}

static int64_t cost(const void *job, int64_t task)
{
    const job_align_t *j = job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_cells(&tile, j->set) * j->n_strands;
}

static int64_t items(const void *job, int64_t task)
{
    const job_align_t *j = job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile);
}

/* Undo prepare. */
static void release(void *job)
{
    job_align_t *j = job;

    aligner_destroy(j->aligner);
    j->aligner = NULL;
    job_align_filter_free(j);
    trial_cache_destroy(j->trials);
    j->trials = NULL;
    job_align_batch_free(j);
    job_align_identity_free(j);
    job_align_cigar_free(j);
    job_align_hits_free(j);
}

static void destroy(void *job)
{
    job_align_t *j = job;

    if (j == NULL)
        return;
    release(j);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* nothing to resume from: leave no trace */
    reslog_close(j->log);
    seqset_destroy(j->set);
    prepare_free(&j->prepared);
    buf_free(&j->text);
    free(j->part_path);
    free(j->tmp_path);
    free(j);
}

status_t job_align_create(const align_opts_t *opts, void **out)
{
    job_align_t *j = calloc(1, sizeof(*j));

    if (j == NULL || asprintf(&j->part_path, "%s.part", opts->output) < 0 ||
        asprintf(&j->tmp_path, "%s.tmp", opts->output) < 0) {
        free(j);
        return log_nomem("the job");
    }
    j->opts = opts;
    j->is_sparse = opts->against != NULL || opts->min_identity.denominator != 0;
    j->n_strands = opts->both_strands ? 2 : 1;
    j->started = time(NULL);
    *out = j;
    return ST_OK;
}

const job_ops_t job_align_ops = {
    .name = "align",
    .begin = begin,
    .cost = cost,
    .items = items,
    .open = job_align_open,
    .is_done = job_align_is_done,
    .prepare = job_align_prepare,
    .release = release,
    .batch_limit = job_align_batch_limit,
    .depth = job_align_depth,
    .submit = job_align_submit,
    .collect = job_align_collect,
    .pack = job_align_pack,
    .cancel = job_align_cancel,
    .store = job_align_store,
    .sync = job_align_sync,
    .finish = job_align_finish,
    .destroy = destroy,
};
