/*
 * job_align_edits.c - the job "align" on a worker: of the pairs that a filter has passed,
 * those that have few enough edits.
 *
 * Edits with free ends cost a quarter of what alignments do, and the pairs travel once
 * more, so that it pays to look at them if they rule out half; where windows rule out
 * nearly all that they could, they do not.  A sample tells.  It changes no result: what
 * passes is aligned, and what does not would not have been kept.
 */
#include "io/base/logmsg.h"
#include "worker/align/job_align_state.h"

#include <stdlib.h>
#include <string.h>

/* Of a sample's pairs one in so many has to be ruled out. */
enum { WORTH_PART = 2 };

/* Rectangles of a sample, spread over all pairs, and their sides. */
enum { SAMPLE_RECTS = 64, SAMPLE_ROWS = 16, SAMPLE_COLS = 64 };

/* Pairs of a sample whose edits are looked at; long ones are fewer. */
enum { SAMPLE_MIN = 4, SAMPLE_MAX = 512 };
static const double sample_cells = 1e9;

/* Pairs that are looked at at a time. */
enum { PIECE = 1 << 22 };

/* Where the k-th of SAMPLE_RECTS sides, spread over sequences first .. end-1, begins. */
static int64_t place(int64_t k, int64_t first, int64_t end, int64_t side)
{
    return end - first <= side ? first : first + k * (end - first - side) / SAMPLE_RECTS;
}

/* @return how many: one if it holds all pairs */
static int64_t sample_rects(const job_align_t *j, filter_rect_t *out)
{
    bool apart = j->col_first > 0; /* rows are no columns */
    int64_t rows = apart ? j->col_first : j->set->n, cols = j->set->n;
    bool is_small = rows <= SAMPLE_ROWS && cols - j->col_first <= SAMPLE_COLS;
    int64_t n = is_small ? 1 : SAMPLE_RECTS;

    for (int64_t k = 0; k < n; k++) {
        int64_t row = place(k, 0, rows, SAMPLE_ROWS);
        /* 37 goes through all columns' places; all against all: right of the diagonal */
        int64_t col =
            place(37 * k % SAMPLE_RECTS, apart ? j->col_first : row, cols, SAMPLE_COLS);

        out[k] =
            (filter_rect_t){row, row + SAMPLE_ROWS < rows ? row + SAMPLE_ROWS : rows, col,
                            col + SAMPLE_COLS < cols ? col + SAMPLE_COLS : cols};
    }
    return n;
}

/* Every so many of n pairs, for a moment's work. @return how many; out may be pairs */
static int64_t thin_out(const job_align_t *j, const pair_t *pairs, int64_t n, pair_t *out)
{
    int64_t most = SAMPLE_MAX;
    double cells = 0;

    for (int64_t i = 0; i < n; i++)
        cells += (double)seqset_len(j->set, pairs[i].query) *
                 (double)seqset_len(j->set, pairs[i].target);
    if (n > 0 && cells / (double)n * (double)most > sample_cells)
        most = (int64_t)(sample_cells * (double)n / cells);
    most = most < SAMPLE_MIN ? SAMPLE_MIN : most;
    most = most < n ? most : n;
    for (int64_t i = 0; i < most; i++)
        out[i] = pairs[i * n / most];
    return most;
}

/* Some pairs of each rectangle. @return how many */
static int64_t pairs_of(const filter_rect_t *rects, int64_t n_rects, pair_t *out)
{
    int64_t n = 0;

    for (int64_t k = 0; k < n_rects; k++) {
        const filter_rect_t *r = &rects[k];

        for (int64_t i = 0; i < SAMPLE_MAX / SAMPLE_RECTS && r->row0 + i < r->row1 &&
                            r->col0 + i < r->col1;
             i++)
            out[n++] = (pair_t){(int32_t)(r->row0 + i), (int32_t)(r->col0 + i)};
    }
    return n;
}

/* Take a sample of what the filter passes.  Where rows ask on their own, those that find
 * no bound of their own will ask what --id says, of which the filter knows nothing yet:
 * there it is of all pairs. */
static status_t take_sample(job_align_t *j, pair_t *out, int64_t *n)
{
    filter_rect_t rects[SAMPLE_RECTS];
    const pair_t *pairs;
    const int64_t *start;
    int64_t n_rects = sample_rects(j, rects);
    status_t st;

    if (j->n_top_levels > 0) {
        *n = thin_out(j, out, pairs_of(rects, n_rects, out), out);
        return ST_OK;
    }
    if ((st = pair_filter_submit(j->filter, rects, n_rects)) != ST_OK ||
        (st = pair_filter_wait(j->filter, &pairs, &start, NULL)) != ST_OK)
        return st;
    *n = thin_out(j, pairs, start[n_rects], out);
    return ST_OK;
}

/* Look at a sample. @param worth  out: whether all pairs are to be looked at */
static status_t try_sample(job_align_t *j, bool *worth)
{
    pair_t sample[SAMPLE_MAX];
    uint8_t keep[SAMPLE_MAX];
    int64_t n, n_out = 0;
    status_t st = take_sample(j, sample, &n);

    if (st != ST_OK)
        return st;
    st = edit_filter_run(j->edits.edits, &(pair_batch_t){sample, n}, keep);
    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        n_out += !keep[i];
    *worth = n_out * WORTH_PART > n;
    log_verbose("filter: edits rule out %d of %d pairs of a sample: %s", (int)n_out,
                (int)n, *worth ? "all are looked at" : "not worth a look");
    return ST_OK;
}

status_t job_align_edits_prepare(job_align_t *j, const device_t *device)
{
    bool worth = false;
    align_context_t context = {device, j->pool, j->set, &j->filter_spec, j->run};
    status_t st = edit_filter_create(&context, j->opts->min_identity, &j->edits.edits);

    if (st != ST_OK)
        return st;
    st = try_sample(j, &worth);
    if (st == ST_OK && worth)
        return ST_OK;
    edit_filter_destroy(j->edits.edits);
    j->edits.edits = NULL;
    return st == ST_ESTOPPED ? ST_OK : st; /* nothing counts any more */
}

int64_t job_align_edits_bytes(const job_align_t *j)
{
    return j->edits.edits != NULL ? (int64_t)sizeof(pair_t) + 1 : 0;
}

static status_t reserve(job_align_edits_t *e, int64_t n, int64_t n_rects)
{
    if (n_rects > e->rects_capacity) {
        e->rects_capacity = 0;
        free(e->start);
        if ((e->start = malloc((size_t)(n_rects + 1) * sizeof(*e->start))) == NULL)
            return log_nomem("a batch's pairs");
        e->rects_capacity = n_rects;
    }
    if (n > e->capacity) {
        e->capacity = 0;
        free(e->pairs);
        free(e->keep);
        e->pairs = malloc((size_t)n * sizeof(*e->pairs));
        e->keep = malloc((size_t)n);
        if (e->pairs == NULL || e->keep == NULL)
            return log_nomem("a batch's pairs");
        e->capacity = n;
    }
    return ST_OK;
}

status_t job_align_edits_run(job_align_t *j, int64_t n_rects, const pair_t **pairs,
                             const int64_t **start, int64_t *n_out)
{
    job_align_edits_t *e = &j->edits;
    const int64_t *from = *start;
    int64_t n = from[n_rects], kept = 0;
    status_t st;

    *n_out = 0;
    if (e->edits == NULL)
        return ST_OK;
    if ((st = reserve(e, n, n_rects)) != ST_OK)
        return st;
    for (int64_t first = 0; first < n; first += PIECE) {
        pair_batch_t piece = {*pairs + first, n - first < PIECE ? n - first : PIECE};

        if ((st = edit_filter_run(e->edits, &piece, e->keep + first)) != ST_OK)
            return st;
    }
    for (int64_t k = 0; k < n_rects; k++) {
        e->start[k] = kept;
        for (int64_t i = from[k]; i < from[k + 1]; i++)
            if (e->keep[i])
                e->pairs[kept++] = (*pairs)[i];
    }
    e->start[n_rects] = kept;
    *pairs = e->pairs;
    *start = e->start;
    *n_out = n - kept;
    return ST_OK;
}

void job_align_edits_free(job_align_t *j)
{
    edit_filter_destroy(j->edits.edits);
    free(j->edits.pairs);
    free(j->edits.keep);
    free(j->edits.start);
    j->edits = (job_align_edits_t){0};
}
