/*
 * search_edits.c - pairs are filtered by their edit distance before they are aligned.
 *
 * The edits of a pair cost a quarter of its alignment, and the pairs travel to the device
 * once more.  So the filter pays off if it rules out more than half of the pairs that the
 * k-mer filter passes; often that one has left too few to rule out.  A sample of pairs
 * decides.  The result is the same with and without it.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

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
static int64_t sample_rects(const search_context_t *c, filter_rect_t *out)
{
    bool apart = c->first_target > 0; /* no sequence is both a row and a column */
    int64_t rows = apart ? c->first_target : c->set->n, cols = c->set->n;
    bool is_small = rows <= SAMPLE_ROWS && cols - c->first_target <= SAMPLE_COLS;
    int64_t n = is_small ? 1 : SAMPLE_RECTS;

    for (int64_t k = 0; k < n; k++) {
        int64_t row = place(k, 0, rows, SAMPLE_ROWS);
        /* 37 k visits all places of the columns, as 37 and 64 are coprime; all against
         * all, the rectangle is right of the diagonal */
        int64_t col = place(37 * k % SAMPLE_RECTS, apart ? c->first_target : row, cols,
                            SAMPLE_COLS);

        out[k] =
            (filter_rect_t){row, row + SAMPLE_ROWS < rows ? row + SAMPLE_ROWS : rows, col,
                            col + SAMPLE_COLS < cols ? col + SAMPLE_COLS : cols};
    }
    return n;
}

/* Choose evenly spaced pairs whose edits take a moment to compute.
 * @return the number of pairs written; `out` may be `pairs` */
static int64_t thin_out(const seqset_t *set, const pair_t *pairs, int64_t n, pair_t *out)
{
    int64_t n_out = SAMPLE_MAX;
    double cells = 0;

    for (int64_t i = 0; i < n; i++)
        cells += (double)seqset_len(set, pairs[i].query) *
                 (double)seqset_len(set, pairs[i].target);
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
 * own, the filter has none yet, and rows without a bound will have the minimum; so the
 * sample is of all pairs, and how many will pass is unknown. */
static status_t take_sample(search_t *s, pair_t *out, int64_t *n)
{
    filter_rect_t rects[SAMPLE_RECTS];
    search_passed_t passed;
    filter_counts_t counts;
    int64_t n_rects = sample_rects(&s->context, rects);
    status_t st;

    if (s->n_bound_levels > 0) {
        *n = thin_out(s->context.set, out, diagonals(rects, n_rects, out), out);
        return ST_OK;
    }
    if ((st = pair_filter_submit(s->filter, rects, n_rects)) != ST_OK ||
        (st = pair_filter_wait(s->filter, &passed.pairs, &passed.start, &counts)) !=
            ST_OK)
        return st;
    s->passed = (double)(counts.n_passed + 1) / (double)(counts.n_pairs + 1);
    *n = thin_out(s->context.set, passed.pairs, passed.start[n_rects], out);
    return ST_OK;
}

/* @param pays_off  out: whether to filter all pairs */
static status_t try_sample(search_t *s, bool *pays_off)
{
    pair_t sample[SAMPLE_MAX];
    uint8_t keep[SAMPLE_MAX];
    int64_t n, n_out = 0;
    status_t st = take_sample(s, sample, &n);

    if (st != ST_OK)
        return st;
    st = edit_filter_run(s->edits.filters[0], &(pair_batch_t){sample, n}, keep);
    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        n_out += !keep[i];
    *pays_off = n_out * WORTH_DIVISOR > n;
    if (*pays_off)
        s->passed *= (double)(n - n_out + 1) / (double)(n + 1);
    log_verbose("filter: edits rule out %d of %d sampled pairs: the edit filter is %s",
                (int)n_out, (int)n, *pays_off ? "used" : "not used");
    return ST_OK;
}

static status_t create_level(search_t *s, int level)
{
    const align_context_t context = search_align_context(s, s->context.filter);

    return s->edits.filters[level] != NULL
               ? ST_OK
               : edit_filter_create(&context, s->edits.levels[level],
                                    &s->edits.filters[level]);
}

status_t search_edits_prepare(search_t *s)
{
    bool pays_off = false;
    status_t st;

    s->edits.levels[0] = s->min_identity;
    if ((st = create_level(s, 0)) != ST_OK)
        return st;
    pays_off = s->context.centroid_order != NULL;
    if (!pays_off)
        st = try_sample(s, &pays_off);
    if (st == ST_OK && pays_off) {
        s->edits.n_levels = 1;
        return ST_OK;
    }
    edit_filter_destroy(s->edits.filters[0]);
    s->edits.filters[0] = NULL;
    return st == ST_ESTOPPED ? ST_OK : st; /* a cancelled run has no results */
}

static status_t reserve(search_edits_t *e, int64_t n, int64_t n_rects)
{
    const size_t keeps = e->n_levels > 1 ? 2 : 1;

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
        e->keep = malloc(keeps * (size_t)n);
        if (e->pairs == NULL || e->keep == NULL)
            return log_nomem("a batch's pairs");
        e->capacity = n;
    }
    return ST_OK;
}

/* @return the level of the filter for what a row requires; n_levels: none */
static int level_of(const search_t *s, int32_t row)
{
    int level = 0;

    while (level < s->edits.n_levels &&
           search_is_below(s->required[row], s->edits.levels[level]))
        level++;
    return level;
}

/* Test the pairs of one of several levels. */
static status_t test_level(search_t *s, int level, const pair_t *pairs, int64_t n)
{
    search_edits_t *e = &s->edits;
    uint8_t *kept = e->keep + e->capacity;
    int64_t n_of = 0;
    status_t st;

    for (int64_t i = 0; i < n; i++)
        if (level_of(s, pairs[i].query) == level)
            e->pairs[n_of++] = pairs[i];
    if (n_of == 0)
        return ST_OK;
    if ((st = create_level(s, level)) != ST_OK ||
        (st = edit_filter_run(e->filters[level], &(pair_batch_t){e->pairs, n_of},
                              kept)) != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        if (level_of(s, pairs[i].query) == level)
            e->keep[i] = *kept++;
    return ST_OK;
}

/* Set e->keep. */
static status_t test(search_t *s, const pair_t *pairs, int64_t n)
{
    search_edits_t *e = &s->edits;
    status_t st = ST_OK;

    if (e->n_levels == 1)
        return edit_filter_run(e->filters[0], &(pair_batch_t){pairs, n}, e->keep);
    memset(e->keep, 1, (size_t)n);
    for (int level = 0; st == ST_OK && level < e->n_levels; level++)
        st = test_level(s, level, pairs, n);
    return st;
}

status_t search_edits_run(search_t *s, int64_t n_rects, search_passed_t *passed,
                          int64_t *n_out)
{
    search_edits_t *e = &s->edits;
    int64_t n = passed->start[n_rects], n_kept = 0;
    status_t st;

    *n_out = 0;
    if (e->n_levels == 0 || n == 0)
        return ST_OK;
    if ((st = reserve(e, n, n_rects)) != ST_OK ||
        (st = test(s, passed->pairs, n)) != ST_OK)
        return st;
    for (int64_t k = 0; k < n_rects; k++) {
        const uint8_t *at = e->keep + passed->start[k];
        const uint8_t *end = e->keep + passed->start[k + 1];

        e->start[k] = n_kept;
        /* few are kept */
        while (at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL)
            e->pairs[n_kept++] = passed->pairs[at++ - e->keep];
    }
    e->start[n_rects] = n_kept;
    *passed = (search_passed_t){e->pairs, e->start};
    *n_out = n - n_kept;
    return ST_OK;
}
