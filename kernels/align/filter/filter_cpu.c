/*
 * filter_cpu.c - the filter on a CPU: a thread takes UNIT_ROWS rows of a rectangle, and
 * compares them with BLOCK_COLS columns at a time.
 */
#include "kernels/align/filter/filter_backend.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* UNIT_ROWS: rows that a thread takes at a time. BLOCK_COLS: columns whose vectors stay
 * in its cache meanwhile. */
enum { UNIT_ROWS = 64, BLOCK_COLS = 64, WORD_BITS = 64 };

/* Rows row0 .. row1-1 of a rectangle, and the pairs of them that pass. */
typedef struct {
    int64_t rect, row0, row1;
    buf_t pairs;
    filter_counts_t counts;
    bool is_done;
} unit_t;

/* The columns of a block, one array per property, so that the compiler vectorizes loops.
 */
typedef struct {
    int32_t len[BLOCK_COLS], partner_min[BLOCK_COLS];
    int32_t dropped[BLOCK_COLS], excess[BLOCK_COLS], min_good[BLOCK_COLS];
    int32_t shared[UNIT_ROWS * BLOCK_COLS];
    uint8_t verdict[BLOCK_COLS];
    int n;
} block_t;

/* The memory of a thread. */
typedef struct {
    block_t block;
    uint64_t *passed; /* [UNIT_ROWS][passed_words] one bit per column */
    int64_t passed_words;
} scratch_t;

typedef struct {
    const filter_rect_t *rects;
    int64_t n;
} batch_t;

typedef struct {
    const filter_plan_t *plan;
    filter_kmers_t *kmers;
    filter_popcount_t popcount;
    batch_t batches[PAIR_FILTER_DEPTH];
    int64_t n_submitted, n_waited;
    scratch_t *scratch; /* [threads] */
    unit_t *units;
    int64_t n_units;
    buf_t pairs, rect_start;
} filter_cpu_t;

static int32_t shared_of(filter_popcount_t popcount, const uint64_t *a, const uint64_t *b,
                         int n_words)
{
    int32_t shared;

    popcount((filter_vectors_t){a, 0, 1}, (filter_vectors_t){b, 0, 1}, n_words, &shared);
    return shared;
}

/* @return the maximum good windows of the first bases of a and the last of b, by the
 *         vectors of bin k */
static int32_t max_good_of_ends(const filter_kmers_t *g, filter_popcount_t popcount,
                                int64_t a, int64_t b, int k)
{
    const filter_seq_t *x = &g->seqs[a], *y = &g->seqs[b];
    int32_t excess = x->end_excess[0][k] < y->end_excess[1][k] ? x->end_excess[0][k]
                                                               : y->end_excess[1][k];

    return shared_of(popcount, filter_kmers_end(g, a, 0, k), filter_kmers_end(g, b, 1, k),
                     g->n_end_words) +
           x->dropped + y->dropped + excess;
}

/* The longest bins come first: what their ends lack shorter ones lack, too. */
filter_verdict_t filter_cpu_ends(const filter_kmers_t *g, filter_popcount_t popcount,
                                 int64_t a, int64_t b, int32_t good)
{
    const filter_seq_t *x = &g->seqs[a], *y = &g->seqs[b];
    const int32_t needed_at_least = filter_min_good_of_bin(x, y, 0);

    if (g->n_end_words == 0 || good >= filter_min_good_of_bin(x, y, FILTER_BINS))
        return FILTER_PASSED;
    for (int k = FILTER_BINS - 1; k >= 0; k--) {
        int32_t needed = filter_min_good_of_bin(x, y, k), first, second;

        if (good < needed)
            continue;
        first = max_good_of_ends(g, popcount, a, b, k);
        second = max_good_of_ends(g, popcount, b, a, k);
        if (first >= needed || second >= needed)
            return FILTER_PASSED;
        if (first < needed_at_least && second < needed_at_least)
            break;
    }
    return FILTER_BY_OVERLAP;
}

static void load_columns(const filter_kmers_t *g, int64_t col0, int n, block_t *b)
{
    b->n = n;
    for (int j = 0; j < n; j++) {
        const filter_seq_t *s = &g->seqs[col0 + j];

        b->len[j] = s->len;
        b->partner_min[j] = s->col.partner_min;
        b->dropped[j] = s->dropped;
        b->excess[j] = s->excess;
        b->min_good[j] = s->col.min_good;
    }
}

/* @return whether the lengths of any pair of a unit and a block fit */
static bool some_fit(const filter_kmers_t *g, const unit_t *u, const block_t *b)
{
    for (int64_t row = u->row0; row < u->row1; row++) {
        const filter_seq_t *a = &g->seqs[row];
        int n = 0;

        for (int j = 0; j < b->n; j++)
            n += b->len[j] >= a->row.partner_min && b->len[j] <= a->row.partner_max;
        if (n > 0)
            return true;
    }
    return false;
}

/* Decide a row by lengths and whole sequences. FILTER_BY_OVERLAP here means that the ends
 * still have to be tested. */
static void decide_row(const filter_seq_t *a, bool free_ends, const int32_t *shared,
                       block_t *b)
{
    int32_t min_len = a->row.partner_min, max_len = a->row.partner_max, len = a->len;
    int32_t dropped = a->dropped, excess = a->excess, min_good = a->row.min_good;

    for (int j = 0; j < b->n; j++) {
        int32_t smaller = excess < b->excess[j] ? excess : b->excess[j];
        int32_t good = shared[j] + dropped + b->dropped[j] + smaller;
        int32_t high = min_good > b->min_good[j] ? min_good : b->min_good[j];
        int32_t low = min_good > b->min_good[j] ? b->min_good[j] : min_good;
        int fits =
            (b->len[j] >= min_len) & (b->len[j] <= max_len) & (len >= b->partner_min[j]);

        b->verdict[j] = (uint8_t)(fits + (fits & (good >= (free_ends ? low : high))));
    }
}

/* Test the ends of the pairs left in a row, count the verdicts, and note what passes. */
static void count_row(const filter_cpu_t *s, unit_t *u, scratch_t *scratch, int64_t row,
                      int64_t col0, int64_t first_col, const int32_t *shared)
{
    const block_t *b = &scratch->block;
    const filter_kmers_t *g = s->kmers;
    int64_t left = s->batches[s->n_waited % PAIR_FILTER_DEPTH].rects[u->rect].col0;
    uint64_t *passed = scratch->passed + (row - u->row0) * scratch->passed_words;
    int64_t n_of[FILTER_PASSED + 1] = {0};

    for (int j = first_col > col0 ? (int)(first_col - col0) : 0; j < b->n; j++) {
        filter_verdict_t verdict = b->verdict[j];

        if (verdict == FILTER_BY_OVERLAP)
            verdict = filter_cpu_ends(g, s->popcount, row, col0 + j,
                                      filter_max_good(&g->seqs[row], &g->seqs[col0 + j],
                                                      shared[j]));
        n_of[verdict]++;
        if (verdict == FILTER_PASSED)
            passed[(col0 + j - left) / WORD_BITS] |= UINT64_C(1)
                                                     << (col0 + j - left) % WORD_BITS;
    }
    u->counts.n_by_length += n_of[FILTER_BY_LENGTH];
    u->counts.n_by_kmers += n_of[FILTER_BY_KMERS];
    u->counts.n_by_overlap += n_of[FILTER_BY_OVERLAP];
    u->counts.n_passed += n_of[FILTER_PASSED];
}

static void filter_block(const filter_cpu_t *s, unit_t *u, scratch_t *scratch,
                         const filter_rect_t *r, int64_t col0, int n)
{
    const filter_kmers_t *g = s->kmers;
    block_t *b = &scratch->block;
    filter_vectors_t rows = {g->whole + u->row0 * g->n_words, g->n_words,
                             (int)(u->row1 - u->row0)};
    filter_vectors_t cols = {g->whole + col0 * g->n_words, g->n_words, n};

    load_columns(g, col0, n, b);
    if (g->n_words > 0 && some_fit(g, u, b))
        s->popcount(rows, cols, g->n_words, b->shared);
    else
        memset(b->shared, 0, sizeof(b->shared));
    for (int64_t row = u->row0; row < u->row1; row++) {
        const int32_t *shared = b->shared + (row - u->row0) * n;
        int64_t first = filter_first_col(s->plan->shape.triangle, r, row);

        if (first >= col0 + n)
            continue;
        decide_row(&g->seqs[row], s->plan->params.goal.ends == ENDS_FREE, shared, b);
        count_row(s, u, scratch, row, col0, first, shared);
    }
}

/* Write the pairs whose bits are set. @return whether there was enough memory */
static bool write_pairs(unit_t *u, const scratch_t *scratch, const filter_rect_t *r)
{
    if (buf_reserve(&u->pairs, (size_t)u->counts.n_passed * sizeof(pair_t)) != ST_OK)
        return false;
    for (int64_t row = u->row0; row < u->row1; row++)
        for (int64_t w = 0; w * WORD_BITS < r->col1 - r->col0; w++) {
            uint64_t word = scratch->passed[(row - u->row0) * scratch->passed_words + w];

            for (; word != 0; word &= word - 1) {
                int64_t col = r->col0 + w * WORD_BITS + __builtin_ctzll(word);
                pair_t pair = {(int32_t)row, (int32_t)col};

                memcpy(u->pairs.data + u->pairs.len, &pair, sizeof(pair));
                u->pairs.len += sizeof(pair);
            }
        }
    return true;
}

static void filter_unit(void *ctx, int64_t item, int thread)
{
    filter_cpu_t *s = ctx;
    unit_t *u = &s->units[item];
    const filter_rect_t *r = &s->batches[s->n_waited % PAIR_FILTER_DEPTH].rects[u->rect];
    scratch_t *scratch = &s->scratch[thread];
    int64_t col0 = filter_first_col(s->plan->shape.triangle, r, u->row0);

    if (s->plan->cancel != NULL && __atomic_load_n(s->plan->cancel, __ATOMIC_RELAXED))
        return;
    memset(scratch->passed, 0,
           (size_t)(UNIT_ROWS * scratch->passed_words) * sizeof(*scratch->passed));
    for (; col0 < r->col1; col0 += BLOCK_COLS)
        filter_block(s, u, scratch, r, col0,
                     (int)(r->col1 - col0 < BLOCK_COLS ? r->col1 - col0 : BLOCK_COLS));
    u->counts.n_pairs = u->counts.n_by_length + u->counts.n_by_kmers +
                        u->counts.n_by_overlap + u->counts.n_passed;
    u->is_done = write_pairs(u, scratch, r);
}

static void filter_cpu_destroy(void *state)
{
    filter_cpu_t *s = state;

    if (s == NULL)
        return;
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->plan->pool); i++)
        free(s->scratch[i].passed);
    free(s->scratch);
    filter_kmers_destroy(s->kmers);
    buf_free(&s->pairs);
    buf_free(&s->rect_start);
    free(s);
}

static status_t filter_cpu_create(const filter_plan_t *plan, void **state)
{
    filter_cpu_t *s = calloc(1, sizeof(*s));
    filter_range_t all = {.n = plan->set->n};
    status_t st;

    if (s == NULL)
        return log_nomem("a filter");
    s->plan = plan;
    s->popcount = filter_popcount_of(plan->device->simd);
    s->scratch = calloc((size_t)pool_n_threads(plan->pool), sizeof(*s->scratch));
    if (s->scratch == NULL)
        st = log_nomem("a filter");
    else
        st = filter_kmers_create(plan->pool, plan->set, &plan->params, all, &s->kmers);
    if (st != ST_OK) {
        filter_cpu_destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

static status_t filter_cpu_submit(void *state, const filter_rect_t *rects,
                                  int64_t n_rects)
{
    filter_cpu_t *s = state;

    s->batches[s->n_submitted++ % PAIR_FILTER_DEPTH] = (batch_t){rects, n_rects};
    return ST_OK;
}

/* Divide a batch into units, and allocate what the threads need. */
static status_t cut_units(filter_cpu_t *s, const batch_t *batch)
{
    int64_t words = 1;

    s->n_units = 0;
    for (int64_t k = 0; k < batch->n; k++) {
        const filter_rect_t *r = &batch->rects[k];
        int64_t rows = r->row1 > r->row0 ? r->row1 - r->row0 : 0;
        int64_t need = (r->col1 - r->col0 + WORD_BITS - 1) / WORD_BITS;

        s->n_units += (rows + UNIT_ROWS - 1) / UNIT_ROWS;
        words = need > words ? need : words;
    }
    s->units = calloc((size_t)s->n_units + 1, sizeof(*s->units));
    if (s->units == NULL)
        return log_nomem("a filter's batch");
    s->n_units = 0;
    for (int64_t k = 0; k < batch->n; k++)
        for (int64_t row = batch->rects[k].row0; row < batch->rects[k].row1;
             row += UNIT_ROWS) {
            int64_t end = batch->rects[k].row1;

            end = row + UNIT_ROWS < end ? row + UNIT_ROWS : end;
            s->units[s->n_units++] = (unit_t){.rect = k, .row0 = row, .row1 = end};
        }
    for (int i = 0; i < pool_n_threads(s->plan->pool); i++) {
        scratch_t *t = &s->scratch[i];

        if (t->passed_words >= words)
            continue;
        free(t->passed);
        t->passed_words = 0;
        t->passed = malloc((size_t)(UNIT_ROWS * words) * sizeof(*t->passed));
        if (t->passed == NULL)
            return log_nomem("a filter's batch");
        t->passed_words = words;
    }
    return ST_OK;
}

/* Concatenate the units' pairs. */
static status_t gather(filter_cpu_t *s, int64_t n_rects, filter_counts_t *counts)
{
    int64_t unit = 0, n;
    status_t st = ST_OK;

    s->pairs.len = s->rect_start.len = 0;
    for (int64_t k = 0; k <= n_rects && st == ST_OK; k++) {
        n = (int64_t)(s->pairs.len / sizeof(pair_t));
        st = buf_append(&s->rect_start, &n, sizeof(n));
        for (; st == ST_OK && unit < s->n_units && s->units[unit].rect == k; unit++) {
            const unit_t *u = &s->units[unit];

            if (!u->is_done)
                return s->plan->cancel != NULL && *s->plan->cancel != 0 ? ST_ESTOPPED
                                                                        : ST_ENOMEM;
            st = buf_append(&s->pairs, u->pairs.data, u->pairs.len);
            counts->n_pairs += u->counts.n_pairs;
            counts->n_by_length += u->counts.n_by_length;
            counts->n_by_kmers += u->counts.n_by_kmers;
            counts->n_by_overlap += u->counts.n_by_overlap;
            counts->n_passed += u->counts.n_passed;
        }
    }
    return st;
}

static status_t filter_cpu_wait(void *state, filter_result_t *out)
{
    filter_cpu_t *s = state;
    const batch_t *batch = &s->batches[s->n_waited % PAIR_FILTER_DEPTH];
    filter_counts_t counts = {0};
    status_t st = cut_units(s, batch);

    if (st == ST_OK) {
        pool_run(s->plan->pool, s->n_units, filter_unit, s);
        st = gather(s, batch->n, &counts);
    }
    for (int64_t i = 0; s->units != NULL && i < s->n_units; i++)
        buf_free(&s->units[i].pairs);
    free(s->units);
    s->units = NULL;
    s->n_waited++;
    if (st == ST_OK)
        *out = (filter_result_t){(const pair_t *)s->pairs.data,
                                 (const int64_t *)s->rect_start.data, counts};
    return st;
}

static status_t filter_cpu_set_demands(void *state, const filter_demand_t *demands)
{
    filter_cpu_t *s = state;

    for (int64_t row = 0; row < s->plan->shape.n_rows; row++)
        s->kmers->seqs[row].row = demands[row];
    return ST_OK;
}

const filter_backend_t filter_cpu_backend = {.base = {.name = "cpu", .kind = DEVICE_CPU},
                                             .create = filter_cpu_create,
                                             .submit = filter_cpu_submit,
                                             .wait = filter_cpu_wait,
                                             .set_demands = filter_cpu_set_demands,
                                             .destroy = filter_cpu_destroy};
