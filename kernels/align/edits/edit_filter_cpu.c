/*
 * edit_filter_cpu.c - the edit filter on a CPU: sorts pairs into groups of similar shape,
 * one pair per lane, and packs their letters for a sweep (edit_filter_sweep.h).
 */
#include "kernels/align/edits/edit_filter_backend.h"
#include "kernels/align/edits/edit_filter_sweep.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* COLUMN_CLASS: pairs whose columns differ by less count as equally long in sorting. */
enum { ALIGN_BYTES = 64, COLUMN_CLASS = 32 };

/* Pairs sorted at a time: limits the memory. */
enum { PAIRS_PER_SORT = 1 << 22 };

/* A pair, with what it is sorted by. */
typedef struct {
    int32_t m, n;
    int32_t query;
    int64_t index; /* in the batch */
} shape_t;

/* The memory of a thread; grows on demand. */
typedef struct {
    void *memory;
    size_t bytes;
    bool failed;
} scratch_t;

typedef struct {
    const edit_filter_plan_t *plan;
    const edit_filter_sweep_t *sweep;
    uint8_t letter[DNA_SIZE]; /* as they are compared: sets of bases, or codes */
    scratch_t *scratch;       /* [threads] */
    shape_t *sorted;          /* [capacity] */
    int64_t *group_start;     /* [n_groups + 1] into sorted */
    int64_t capacity, n_groups;
    const pair_batch_t *batch;
    uint8_t *keep;
} edit_filter_cpu_t;

static void edit_filter_cpu_destroy(void *state)
{
    edit_filter_cpu_t *s = state;

    if (s == NULL)
        return;
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->plan->context.pool); i++)
        free(s->scratch[i].memory);
    free(s->scratch);
    free(s->sorted);
    free(s->group_start);
    free(s);
}

static status_t edit_filter_cpu_create(const edit_filter_plan_t *plan, void **state)
{
    const align_scoring_t *scoring = &plan->context.spec->scoring;
    edit_filter_cpu_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("the edit filter");
    s->plan = plan;
    s->sweep = edit_filter_sweep_of(plan->context.device->simd);
    memcpy(s->letter, scoring->set_of, sizeof(s->letter));
    s->scratch = calloc((size_t)pool_n_threads(plan->context.pool), sizeof(*s->scratch));
    if (s->scratch == NULL) {
        edit_filter_cpu_destroy(s);
        return log_nomem("the edit filter");
    }
    *state = s;
    return ST_OK;
}

static int32_t blocks_of(int32_t m)
{
    return (m + EDIT_FILTER_ROWS - 1) / EDIT_FILTER_ROWS;
}

/* Sorts by blocks of rows, then by columns, roughly, then by query, because the letters
 * of a query have to be packed only once for successive pairs; then the pair with most
 * columns first. */
static int by_shape(const void *a, const void *b)
{
    const shape_t *x = a, *y = b;
    int32_t by_blocks = blocks_of(y->m) - blocks_of(x->m);
    int32_t by_columns = y->n / COLUMN_CLASS - x->n / COLUMN_CLASS;

    if (by_blocks != 0)
        return by_blocks;
    if (by_columns != 0)
        return by_columns;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static int by_falling_columns(const void *a, const void *b)
{
    const shape_t *x = a, *y = b;

    return x->n != y->n ? (x->n > y->n ? -1 : 1) : (x->index > y->index) * 2 - 1;
}

static status_t reserve(edit_filter_cpu_t *s, int64_t n)
{
    if (n <= s->capacity)
        return ST_OK;
    free(s->sorted);
    free(s->group_start);
    s->capacity = 0;
    s->sorted = malloc((size_t)n * sizeof(*s->sorted));
    s->group_start = malloc((size_t)(n + 1) * sizeof(*s->group_start));
    if (s->sorted == NULL || s->group_start == NULL)
        return log_nomem("a batch of the edit filter");
    s->capacity = n;
    return ST_OK;
}

/* @return the maximum edits of a pair, at most m + n */
static int32_t max_edits_of(const edit_filter_bound_t *bound, int32_t m, int32_t n)
{
    int32_t max_edits = bound->max_edits[m < n ? m : n];

    return max_edits < m + n ? max_edits : m + n;
}

/* Sort the pairs that lengths alone do not rule out. @return how many there are */
static int64_t sort_pairs(edit_filter_cpu_t *s, const pair_batch_t *batch)
{
    const seqset_t *set = s->plan->context.set;
    const edit_filter_bound_t *bound = &s->plan->bound;
    int64_t n_left = 0;

    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];
        int32_t m = (int32_t)seqset_len(set, p.query);
        int32_t n = (int32_t)seqset_len(set, p.target);

        s->keep[i] = 0;
        if (m == 0 || n == 0 ||
            (bound->goal.ends == ENDS_COUNT && abs(m - n) > max_edits_of(bound, m, n)))
            continue;
        s->sorted[n_left++] = (shape_t){m, n, p.query, i};
    }
    qsort(s->sorted, (size_t)n_left, sizeof(*s->sorted), by_shape);
    return n_left;
}

static void cut_groups(edit_filter_cpu_t *s, int64_t n)
{
    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;

        while (end < n && end - i < s->sweep->lanes &&
               blocks_of(s->sorted[end].m) == blocks_of(s->sorted[i].m))
            end++;
        s->group_start[s->n_groups++] = i;
        i = end;
    }
    s->group_start[s->n_groups] = n;
}

/* Set the shapes of a group's pairs, and sort these by falling columns. */
static void set_shapes(shape_t *pairs, edit_filter_group_t *g)
{
    qsort(pairs, (size_t)g->n_lanes, sizeof(*pairs), by_falling_columns);
    g->n_blocks = blocks_of(pairs[0].m);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        int32_t m = pairs[lane].m, n = pairs[lane].n;
        int32_t gaps = (max_edits_of(g->bound, m, n) - abs(m - n)) / 2;
        int32_t low = gaps + (m > n ? m - n : 0), high = gaps + (n > m ? n - m : 0);

        g->m[lane] = m;
        g->n[lane] = n;
        g->low = low > g->low ? low : g->low;
        g->high = high > g->high ? high : g->high;
    }
}

/* Transpose up to eight letters into one byte of each plane. */
static void add_bytes(const edit_filter_cpu_t *s, const uint8_t *letters, int64_t n,
                      uint64_t *plane, int64_t at)
{
    /* A product with `gather` moves the lowest bits of all bytes into the highest byte.
     */
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t gather = UINT64_C(0x0102040810204080);
    uint64_t bytes = 0;

    for (int64_t i = 0; i < n; i++)
        bytes |= (uint64_t)s->letter[letters[i]] << 8 * i;
    for (int k = 0; k < EDIT_FILTER_PLANES; k++)
        plane[k] |= ((bytes >> k & ones) * gather >> 56) << at;
}

/* Pack the letters of a lane's query into planes, one word of each per block. */
static void pack_rows(const edit_filter_cpu_t *s, int32_t query, uint64_t *words,
                      int lanes)
{
    const uint8_t *letters = seqset_letters(s->plan->context.set, query);
    int64_t m = seqset_len(s->plan->context.set, query);

    for (int64_t first = 0; first < m; first += EDIT_FILTER_ROWS) {
        uint64_t plane[EDIT_FILTER_PLANES] = {0};
        int64_t i = first;

        for (; i + 8 <= m && i < first + EDIT_FILTER_ROWS; i += 8)
            add_bytes(s, letters + i, 8, plane, i - first);
        if (i < m && i < first + EDIT_FILTER_ROWS)
            add_bytes(s, letters + i, m - i, plane, i - first);
        for (int k = 0; k < EDIT_FILTER_PLANES; k++)
            words[k * lanes] = plane[k];
        words += EDIT_FILTER_WORDS * lanes;
    }
}

/* Copy the planes from an earlier lane with the same query. @return whether there is one
 */
static bool copy_rows(const edit_filter_group_t *g, const shape_t *pairs, int lane,
                      int lanes)
{
    int from = 0;

    while (pairs[from].query != pairs[lane].query)
        from++;
    for (int64_t b = 0; from < lane && b < g->n_blocks; b++)
        for (int k = 0; k < EDIT_FILTER_PLANES; k++) {
            uint64_t *words = g->blocks + (b * EDIT_FILTER_WORDS + k) * lanes;

            words[lane] = words[from];
        }
    return from < lane;
}

/* Write the letters of a group. @return whether there was enough memory */
static bool lay_out(const edit_filter_cpu_t *s, const shape_t *pairs,
                    edit_filter_group_t *g, scratch_t *scratch)
{
    size_t lanes = (size_t)s->sweep->lanes, n_words = EDIT_FILTER_WORDS * lanes;
    size_t row_bytes = (size_t)g->n_blocks * n_words * sizeof(uint64_t);
    size_t column_bytes = (size_t)g->n[0] * lanes;
    size_t bytes = ((row_bytes + column_bytes) / ALIGN_BYTES + 1) * ALIGN_BYTES;
    uint8_t *cols;

    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = aligned_alloc(ALIGN_BYTES, bytes);
        scratch->bytes = scratch->memory != NULL ? bytes : 0;
    }
    if (scratch->memory == NULL)
        return false;
    memset(scratch->memory, 0, bytes);
    g->blocks = scratch->memory;
    g->cols = cols = (uint8_t *)scratch->memory + row_bytes;
    for (int lane = 0; lane < g->n_lanes; lane++) {
        pair_t p = s->batch->pairs[pairs[lane].index];
        const uint8_t *letters = seqset_letters(s->plan->context.set, p.target);

        if (!copy_rows(g, pairs, lane, (int)lanes))
            pack_rows(s, p.query, g->blocks + lane, (int)lanes);
        for (int64_t j = 0; j < g->n[lane]; j++)
            cols[(size_t)j * lanes + (size_t)lane] = s->letter[letters[j]];
    }
    return true;
}

static void test_group(void *ctx, int64_t item, int thread)
{
    edit_filter_cpu_t *s = ctx;
    shape_t *pairs = s->sorted + s->group_start[item];
    uint8_t keep[EDIT_FILTER_LANES_MAX];
    edit_filter_group_t g = {.bound = &s->plan->bound,
                             .same_code = s->plan->context.spec->scoring.same_code,
                             .n_lanes =
                                 (int)(s->group_start[item + 1] - s->group_start[item]),
                             .cancel = s->plan->context.run.cancel};

    if (align_cancelled(s->plan->context.run.cancel))
        return;
    set_shapes(pairs, &g);
    if (!lay_out(s, pairs, &g, &s->scratch[thread])) {
        s->scratch[thread].failed = true;
        return;
    }
    s->sweep->run(&g, keep);
    for (int lane = 0; lane < g.n_lanes; lane++)
        s->keep[pairs[lane].index] = keep[lane];
}

static status_t run_sorted(edit_filter_cpu_t *s, const pair_batch_t *batch, uint8_t *keep)
{
    status_t st = reserve(s, batch->n);

    if (st != ST_OK || batch->n == 0)
        return st;
    s->batch = batch;
    s->keep = keep;
    cut_groups(s, sort_pairs(s, batch));
    pool_run(s->plan->context.pool, s->n_groups, test_group, s);
    for (int i = 0; i < pool_n_threads(s->plan->context.pool); i++)
        if (s->scratch[i].failed)
            return log_nomem("a batch of the edit filter");
    return align_cancelled(s->plan->context.run.cancel) ? ST_ESTOPPED : ST_OK;
}

static status_t edit_filter_cpu_run(void *state, const pair_batch_t *batch, uint8_t *keep)
{
    status_t st = ST_OK;

    for (int64_t first = 0; first < batch->n && st == ST_OK; first += PAIRS_PER_SORT) {
        int64_t left = batch->n - first;
        pair_batch_t part = {batch->pairs + first,
                             left < PAIRS_PER_SORT ? left : PAIRS_PER_SORT};

        st = run_sorted(state, &part, keep + first);
    }
    return st;
}

const edit_filter_backend_t edit_filter_cpu_backend = {
    .base = {.name = "cpu", .kind = DEVICE_CPU},
    .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA),
                 .gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
                 .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) |
                         ALIGN_BIT(ENDS_QUERY) | ALIGN_BIT(ENDS_PRICED),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
                 .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
                          ALIGN_BIT(EMIT_CIGAR)},
    .create = edit_filter_cpu_create,
    .run = edit_filter_cpu_run,
    .destroy = edit_filter_cpu_destroy};
