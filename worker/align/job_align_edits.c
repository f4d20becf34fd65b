/*
 * job_align_edits.c - the job "align" filters pairs by their edit distance before it
 * aligns them.
 *
 * The edits of a pair cost a quarter of its alignment, and the pairs travel to the device
 * once more.  So the filter pays off if it rules out more than half of the pairs that the
 * k-mer filter passes; often that one has left too few to rule out.  A sample of pairs
 * decides.  The result is the same with and without it.
 */
#include "worker/align/job_align_edits.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* The filter is used if it rules out more than 1 / WORTH_DIVISOR of a sample. */
enum { WORTH_DIVISOR = 2 };

/* The rectangles of a sample, spread over all pairs, and their sides. */
enum { SAMPLE_RECTS = 64, SAMPLE_ROWS = 16, SAMPLE_COLS = 64 };

/* Pairs of a sample whose edits are computed: fewer where sequences are long, so that
 * they have at most about sample_cells cells. */
enum { SAMPLE_MIN = 4, SAMPLE_MAX = 512 };
static const double sample_cells = 1e9;

/* @return the start of the k-th of SAMPLE_RECTS sides, which are spread evenly over the
 *         sequences first .. end-1 */
static int64_t place(int64_t k, int64_t first, int64_t end, int64_t side)
{
    return end - first <= side ? first : first + k * (end - first - side) / SAMPLE_RECTS;
}

/* @return the number of rectangles written; 1 if that one has all pairs */
static int64_t sample_rects(const job_align_t *j, filter_rect_t *out)
{
    bool apart = j->col_first > 0; /* no sequence is both a row and a column */
    int64_t rows = apart ? j->col_first : j->set->n, cols = j->set->n;
    bool is_small = rows <= SAMPLE_ROWS && cols - j->col_first <= SAMPLE_COLS;
    int64_t n = is_small ? 1 : SAMPLE_RECTS;

    for (int64_t k = 0; k < n; k++) {
        int64_t row = place(k, 0, rows, SAMPLE_ROWS);
        /* 37 k visits all places of the columns, as 37 and 64 are coprime; all against
         * all, the rectangle is right of the diagonal */
        int64_t col =
            place(37 * k % SAMPLE_RECTS, apart ? j->col_first : row, cols, SAMPLE_COLS);

        out[k] =
            (filter_rect_t){row, row + SAMPLE_ROWS < rows ? row + SAMPLE_ROWS : rows, col,
                            col + SAMPLE_COLS < cols ? col + SAMPLE_COLS : cols};
    }
    return n;
}

/* Choose evenly spaced pairs whose edits take a moment to compute.
 * @return the number of pairs written; `out` may be `pairs` */
static int64_t thin_out(const job_align_t *j, const pair_t *pairs, int64_t n, pair_t *out)
{
    int64_t n_out = SAMPLE_MAX;
    double cells = 0;

    for (int64_t i = 0; i < n; i++)
        cells += (double)seqset_len(j->set, pairs[i].query) *
                 (double)seqset_len(j->set, pairs[i].target);
    if (n > 0 && cells / (double)n * (double)n_out > sample_cells)
        n_out = (int64_t)(sample_cells * (double)n / cells);
    n_out = n_out < SAMPLE_MIN ? SAMPLE_MIN : n_out;
    n_out = n_out < n ? n_out : n;
    for (int64_t i = 0; i < n_out; i++)
        out[i] = pairs[i * n / n_out];
    return n_out;
}

/* List a diagonal of each rectangle. @return the number of pairs written */
static int64_t diagonals(const filter_rect_t *rects, int64_t n_rects, pair_t *out)
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

/* Sample the pairs that the k-mer filter passes.  Where each row has an identity of its
 * own, the filter has none yet, and rows without a bound will have that of --id; so the
 * sample is of all pairs, and how many will pass is unknown. */
static status_t take_sample(job_align_t *j, pair_t *out, int64_t *n)
{
    filter_rect_t rects[SAMPLE_RECTS];
    const pair_t *pairs;
    const int64_t *start;
    filter_counts_t counts;
    int64_t n_rects = sample_rects(j, rects);
    status_t st;

    if (j->n_bound_levels > 0) {
        *n = thin_out(j, out, diagonals(rects, n_rects, out), out);
        return ST_OK;
    }
    if ((st = pair_filter_submit(j->filter, rects, n_rects)) != ST_OK ||
        (st = pair_filter_wait(j->filter, &pairs, &start, &counts)) != ST_OK)
        return st;
    j->passed = (double)(counts.n_passed + 1) / (double)(counts.n_pairs + 1);
    *n = thin_out(j, pairs, start[n_rects], out);
    return ST_OK;
}

/* @param pays_off  out: whether to filter all pairs */
static status_t try_sample(job_align_t *j, bool *pays_off)
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
    *pays_off = n_out * WORTH_DIVISOR > n;
    if (*pays_off)
        j->passed *= (double)(n - n_out + 1) / (double)(n + 1);
    log_verbose("filter: edits rule out %d of %d sampled pairs: the edit filter is %s",
                (int)n_out, (int)n, *pays_off ? "used" : "not used");
    return ST_OK;
}

status_t job_align_edits_prepare(job_align_t *j, const device_t *device)
{
    bool pays_off = false;
    align_context_t context = {device, j->base.pool, j->set, &j->spec.filter, j->run};
    status_t st = edit_filter_create(&context, j->opts->min_identity, &j->edits.edits);

    if (st != ST_OK)
        return st;
    st = try_sample(j, &pays_off);
    if (st == ST_OK && pays_off)
        return ST_OK;
    edit_filter_destroy(j->edits.edits);
    j->edits.edits = NULL;
    return st == ST_ESTOPPED ? ST_OK : st; /* a cancelled job has no results */
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

status_t job_align_edits_run(job_align_t *j, job_align_pieces_t *p)
{
    job_align_edits_t *e = &j->edits;
    int64_t n_rects = (int64_t)(p->end - p->first) * j->n_strands;
    int64_t n = p->start[n_rects], n_kept = 0;
    status_t st;

    p->n_by_edits = 0;
    if (e->edits == NULL)
        return ST_OK;
    if ((st = reserve(e, n, n_rects)) != ST_OK ||
        (st = edit_filter_run(e->edits, &(pair_batch_t){p->pairs, n}, e->keep)) != ST_OK)
        return st;
    for (int64_t k = 0; k < n_rects; k++) {
        const uint8_t *at = e->keep + p->start[k], *end = e->keep + p->start[k + 1];

        e->start[k] = n_kept;
        /* few are kept; without pairs there is no memory */
        while (at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL)
            e->pairs[n_kept++] = p->pairs[at++ - e->keep];
    }
    e->start[n_rects] = n_kept;
    p->pairs = e->pairs;
    p->start = e->start;
    p->n_by_edits = n - n_kept;
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
