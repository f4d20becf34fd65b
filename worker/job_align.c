#include "worker/job_align.h"

#include "io/logmsg.h"
#include "worker/job_align_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* CIGARs are a hundred times as large as the rest: a tile of them should be no burden. */
enum { CIGAR_SIDE_MAX = 64 };

/* What rank 0 tells of the set before it sends it. */
typedef struct {
    int64_t n, n_letters, names_bytes;
} set_head_t;

static status_t make_spec(job_align_t *j)
{
    static const int n_datasets[] = {PAIRS_N_SCORE, PAIRS_N_IDENTITY, PAIRS_N_CIGAR};
    const align_opts_t *o = j->opts;
    score_matrix_t matrix;
    status_t st;

    /* pairs and results, which travel, take of what is given, too: an eighth at most */
    j->spec = (align_spec_t){.emit = o->emit,
                             .ends = o->ends,
                             .min_overlap = o->min_overlap,
                             .band = o->band,
                             .cancel = &j->cancel,
                             .transfer = {.device_bytes =
                                              o->device_bytes - o->device_bytes / 8}};
    j->n_datasets = n_datasets[o->emit];
    if (o->matrix == NULL) {
        align_scoring_set(&j->spec.scoring, o->ambiguity, o->match, o->mismatch, o->gap);
        return ST_OK;
    }
    if ((st = matrix_file_read(o->matrix, &matrix)) != ST_OK)
        return st;
    align_scoring_set_matrix(&j->spec.scoring, &matrix, o->gap);
    for (int64_t i = 0; i < j->set->n; i++)
        for (int64_t k = 0; k < seqset_len(j->set, i); k++)
            if (!matrix.has[seqset_letters(j->set, i)[k]]) {
                log_error("%s: record %" PRId64
                          " '%s' has the letter %c, which %s does not "
                          "score; add it to the matrix",
                          o->input, i + 1, seqset_name(j->set, i),
                          alphabet_letter(seqset_letters(j->set, i)[k]), o->matrix);
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
        log_error("%s: %" PRId64 " sequences are more than 2147483647; split the file",
                  j->opts->input, n);
        return ST_EINPUT;
    }
    if (range.least < INT32_MIN || range.most > INT32_MAX) {
        log_error("%s: scores of two sequences of %" PRId64
                  " letters could leave 32 bits; "
                  "give smaller --match, --mismatch, --gap",
                  j->opts->input, longest);
        return ST_EINPUT;
    }
    if (bytes > (double)j->opts->max_output_bytes) {
        log_error("%s: %" PRId64
                  " sequences make %.0f GiB of results before compression, more "
                  "than --max-output; raise it%s",
                  j->opts->input, n, bytes / (1 << 30), smaller[j->opts->emit]);
        return ST_EINPUT;
    }
    if (j->opts->emit == EMIT_CIGAR && longest > CIGAR_RUN_MAX) {
        log_error("%s: a sequence has %" PRId64 " letters, too many for a CIGAR; give "
                  "--emit identity",
                  j->opts->input, longest);
        return ST_EINPUT;
    }
    return ST_OK;
}

static status_t read_input(job_align_t *j)
{
    status_t st = job_align_check_output(j);

    if (st == ST_OK)
        st = fasta_read(j->opts->input, &j->opts->fasta, NULL, &j->set);
    if (st == ST_OK && j->set->n < 2)
        log_warn("%s holds %s: there is no pair to align", j->opts->input,
                 j->set->n == 0 ? "no sequence" : "one sequence");
    return st;
}

/* The set goes from rank 0 to the others. */
static status_t spread(job_align_t *j, exchange_t *x)
{
    set_head_t head = {0};
    status_t st;

    if (x->rank == 0)
        head = (set_head_t){j->set->n, j->set->offset[j->set->n],
                            j->set->name_offset[j->set->n]};
    if ((st = x->broadcast(x, &head, sizeof(head))) != ST_OK)
        return st;
    if (x->rank != 0)
        st = seqset_create(head.n, head.n_letters, head.names_bytes, &j->set);
    if ((st = exchange_agree(x, st)) != ST_OK)
        return st;
    if ((st = x->broadcast(x, j->set->offset, (size_t)(head.n + 1) * sizeof(int64_t))) !=
            ST_OK ||
        (st = x->broadcast(x, j->set->letters, (size_t)head.n_letters)) != ST_OK)
        return st;
    /* Names are read only where files are written; others get the offsets for messages.
     */
    if ((st = x->broadcast(x, j->set->name_offset,
                           (size_t)(head.n + 1) * sizeof(int64_t))) != ST_OK)
        return st;
    return x->broadcast(x, j->set->names, (size_t)head.names_bytes);
}

static status_t begin(void *job, exchange_t *x, job_plan_t *out)
{
    job_align_t *j = job;
    status_t st = x->rank == 0 ? read_input(j) : ST_OK;

    if ((st = exchange_agree(x, st)) != ST_OK || (st = spread(j, x)) != ST_OK)
        return st;
    if (x->rank == 0 && (st = make_spec(j)) == ST_OK)
        st = check_sizes(j);
    if ((st = exchange_agree(x, st)) != ST_OK) /* rank 0 has said why, once */
        return st;
    if (x->rank != 0)
        st = make_spec(j);
    if ((st = exchange_agree(x, st)) != ST_OK)
        return st;
    j->grid = tile_grid(j->set);
    if (j->opts->emit == EMIT_CIGAR && j->grid.side > CIGAR_SIDE_MAX)
        j->grid = tile_grid_of(j->set->n, CIGAR_SIDE_MAX);
    *out = (job_plan_t){j->grid.n_tiles, "tiles", "pairs"};
    return ST_OK;
}

static int64_t cost(const void *job, int64_t task)
{
    const job_align_t *j = job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_cells(&tile, j->set);
}

static int64_t items(const void *job, int64_t task)
{
    const job_align_t *j = job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile);
}

static void destroy(void *job)
{
    job_align_t *j = job;

    if (j == NULL)
        return;
    aligner_destroy(j->aligner);
    trial_cache_destroy(j->trials);
    if (j->log != NULL && reslog_n_done(j->log) == 0)
        reslog_remove(j->log); /* nothing to resume from: leave no trace */
    reslog_close(j->log);
    seqset_destroy(j->set);
    buf_free(&j->text);
    free(j->part_path);
    free(j->tmp_path);
    job_align_batch_free(j);
    job_align_cigar_free(j);
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
