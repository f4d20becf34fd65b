/*
 * clades_count.c - counts pairs of a rectangle by a sort of keys, which need no table of
 * all pairs of blocks.
 */
#include "graph/clades/clades_count.h"

#include "io/base/integral.h"
#include "io/base/logmsg.h"
#include "io/graphfile/radix_sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

status_t clades_map_make(const clades_t *c, clades_map_t *out)
{
    const size_t n = (size_t)c->n, n_ranks = (size_t)c->n_ranks;
    clades_map_t m = {.plan = c,
                      .position = malloc(n * sizeof(int32_t) + 1),
                      .block = malloc(n * sizeof(int32_t) + 1),
                      .lineage = malloc(n * n_ranks * sizeof(int32_t) + 1)};

    if (m.position == NULL || m.block == NULL || m.lineage == NULL) {
        clades_map_free(&m);
        return log_nomem("taxa");
    }
    for (int32_t p = 0; p < c->n; p++) {
        m.position[c->row[p]] = p;
        m.block[c->row[p]] = (int32_t)clades_cut_before(c, p);
    }
    memset(m.lineage, 0xff, n * n_ranks * sizeof(*m.lineage));
    for (int64_t t = 1; t < c->n_taxa; t++)
        for (int32_t p = c->begin[t], rank = clades_rank(c, t); p < c->end[t]; p++)
            m.lineage[(size_t)c->row[p] * n_ranks + (size_t)rank - 1] = (int32_t)t;
    *out = m;
    return ST_OK;
}

void clades_map_free(clades_map_t *m)
{
    free(m->position);
    free(m->block);
    free(m->lineage);
    *m = (clades_map_t){.plan = NULL};
}

static int64_t level_of(const clades_map_t *m, int32_t i, int32_t j)
{
    const int64_t n_ranks = m->plan->n_ranks;
    const int32_t *a = m->lineage + i * n_ranks, *b = m->lineage + j * n_ranks;
    int64_t rank = 0;

    while (rank < n_ranks && a[rank] >= 0 && a[rank] == b[rank])
        rank++;
    return 2 * rank + (rank == n_ranks || a[rank] < 0 || b[rank] < 0);
}

/* ---- the parts of a record ---- */

/* The highest identity. */
typedef struct {
    int32_t matches, columns; /* columns = 0: none */
} best_t;

/* Counts follow each other by key: (first block, second block, bin). */
typedef struct {
    int64_t *levels; /* [n_levels][n_bins] */
    best_t *best;    /* [rows, then columns][n_levels] */
    unsigned char *counts, *end;
} parts_t;

static size_t levels_bytes(const clades_map_t *m)
{
    return (size_t)(m->plan->n_levels * m->plan->n_bins) * sizeof(int64_t);
}

static size_t best_bytes(const clades_map_t *m, const pairs_region_t *r)
{
    return (size_t)((r->row1 - r->row0 + r->col1 - r->col0) * m->plan->n_levels) *
           sizeof(best_t);
}

static parts_t parts_of(const clades_map_t *m, const pairs_region_t *r,
                        unsigned char *data, size_t len)
{
    unsigned char *best = data + levels_bytes(m);

    return (parts_t){(int64_t *)(void *)data, (best_t *)(void *)best,
                     best + best_bytes(m, r), data + len};
}

/* ---- numbers of 7 bits per byte, the lowest first, with the high bit set in all but the
 * last ---- */

enum { NUMBER_BYTES = 10 };

static unsigned char *put_number(uint64_t number, unsigned char *to)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (unsigned char)(number | 0x80);
    *to++ = (unsigned char)number;
    return to;
}

/* @return whether there is one, of at most 63 bits */
static bool get_number(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; *at < end && shift < 63; shift += 7) {
        *out |= (uint64_t)(**at & 0x7f) << shift;
        if (*(*at)++ < 0x80)
            return true;
    }
    return false;
}

/* ---- counting ---- */

/* Keep the higher identity; of equal ones that of more columns, so that the order does
 * not matter. */
static void note_best(best_t *best, int32_t matches, int32_t columns)
{
    const int64_t left = (int64_t)matches * best->columns;
    const int64_t right = (int64_t)best->matches * columns;

    if (left > right || (left == right && columns > best->columns))
        *best = (best_t){matches, columns};
}

static int n_key_bits(const clades_t *c)
{
    int bits = 1;

    while ((uint64_t)c->n_cuts * (uint64_t)c->n_cuts * (uint64_t)c->n_bins >> bits > 0)
        bits++;
    return bits;
}

/* Append how often each key occurs. @param key  [n] sorted */
static status_t append_counts(const uint64_t *key, int64_t n, buf_t *out)
{
    uint64_t before = 0;
    status_t st = ST_OK;

    for (int64_t k = 0, next; st == ST_OK && k < n; k = next) {
        unsigned char *to;

        if ((st = buf_reserve(out, 2 * NUMBER_BYTES)) != ST_OK)
            break;
        for (next = k + 1; next < n && key[next] == key[k];)
            next++;
        to = put_number(key[k] - before, out->data + out->len);
        to = put_number((uint64_t)(next - k), to);
        out->len = (size_t)(to - out->data);
        before = key[k];
    }
    return st;
}

status_t clades_count_begin(const clades_map_t *m, const pairs_region_t *r, int64_t n_max,
                            clades_count_t *out)
{
    const size_t fixed = levels_bytes(m) + best_bytes(m, r);
    clades_count_t w = {.map = m, .region = *r, .n_max = n_max};
    status_t st = buf_reserve(&w.record, fixed);

    if (st != ST_OK)
        return st;
    if ((w.keys = malloc((size_t)n_max * 2 * sizeof(*w.keys) + 1)) == NULL) {
        buf_free(&w.record);
        return log_nomem("pairs");
    }
    memset(w.record.data, 0, fixed);
    w.record.len = fixed;
    *out = w;
    return ST_OK;
}

static inline void count_pair(clades_count_t *w, const parts_t *to, int64_t row,
                              int64_t col, int32_t matches, int32_t columns)
{
    const clades_map_t *m = w->map;
    const clades_t *c = m->plan;
    const pairs_region_t *r = &w->region;
    const int64_t bin = clades_bin(c, matches, columns);
    const int64_t level = level_of(m, (int32_t)row, (int32_t)col);
    const int32_t x = m->block[row], y = m->block[col];
    const int64_t a = x < y ? x : y, b = x < y ? y : x;

    w->keys[w->n++] = (uint64_t)((a * c->n_cuts + b) * c->n_bins + bin);
    to->levels[level * c->n_bins + bin]++;
    note_best(&to->best[(row - r->row0) * c->n_levels + level], matches, columns);
    note_best(&to->best[(r->row1 - r->row0 + col - r->col0) * c->n_levels + level],
              matches, columns);
}

void clades_count_pairs(clades_count_t *w, const clades_pair_t *p, int64_t n)
{
    const parts_t to = parts_of(w->map, &w->region, w->record.data, w->record.len);

    for (int64_t k = 0; k < n; k++)
        if (p[k].columns > 0)
            count_pair(w, &to, p[k].row, p[k].col, p[k].matches, p[k].columns);
}

void clades_count_row(clades_count_t *w, int64_t row, int64_t col, int64_t n,
                      const int32_t *matches, const int32_t *columns)
{
    const parts_t to = parts_of(w->map, &w->region, w->record.data, w->record.len);

    for (int64_t k = 0; k < n; k++)
        if (columns[k] > 0)
            count_pair(w, &to, row, col + k, matches[k], columns[k]);
}

status_t clades_count_end(clades_count_t *w, status_t st, buf_t *out)
{
    assert(w->n <= w->n_max);
    if (st == ST_OK) {
        radix_sort((radix_items_t){.key = w->keys},
                   (radix_items_t){.key = w->keys + w->n_max}, w->n,
                   n_key_bits(w->map->plan));
        st = append_counts(w->keys, w->n, &w->record);
    }
    if (st == ST_OK)
        st = buf_append(out, w->record.data, w->record.len);
    free(w->keys);
    buf_free(&w->record);
    return st;
}

/* ---- reading records ---- */

const char *clades_count_check(const clades_map_t *m, const pairs_region_t *r,
                               const buf_t *record)
{
    const clades_t *c = m->plan;
    const size_t fixed = levels_bytes(m) + best_bytes(m, r);
    const uint64_t n_keys = (uint64_t)(c->n_cuts * c->n_cuts * c->n_bins);
    const int64_t n_max = (r->row1 - r->row0) * (r->col1 - r->col0);
    int64_t n_left = 0;
    uint64_t key = 0, step, count;
    const unsigned char *at;
    parts_t from;

    if (record->len < fixed)
        return "has another length than its rectangle";
    from = parts_of(m, r, record->data, record->len);
    for (int64_t k = 0; k < c->n_levels * c->n_bins; n_left += from.levels[k++])
        if (from.levels[k] < 0 || from.levels[k] > n_max)
            return "has counts by level that no run makes";
    for (size_t k = 0; k < best_bytes(m, r) / sizeof(best_t); k++)
        if (from.best[k].matches < 0 || from.best[k].matches > from.best[k].columns)
            return "has identities that no run makes";
    if (n_left > n_max)
        return "has counts by level that no run makes";
    for (at = from.counts; at < from.end; n_left -= (int64_t)count) {
        const bool is_first = at == from.counts;

        if (!get_number(&at, from.end, &step) || !get_number(&at, from.end, &count))
            return "has another length than its counts";
        if ((step == 0 && !is_first) || step >= n_keys - key || count == 0 ||
            count > (uint64_t)n_left)
            return "has counts that no run makes";
        key += step;
        if ((int64_t)key / c->n_bins / c->n_cuts > (int64_t)key / c->n_bins % c->n_cuts)
            return "has counts that no run makes";
    }
    return n_left == 0 ? NULL : "has another length than its counts";
}

void clades_count_add_levels(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, clades_t *to)
{
    const parts_t from = parts_of(m, r, record->data, record->len);
    const int64_t n_rows = r->row1 - r->row0, n_levels = m->plan->n_levels;

    for (int64_t k = 0; k < n_levels * m->plan->n_bins; k++)
        to->level_count[k] += from.levels[k];
    for (int64_t k = 0; k < n_rows + r->col1 - r->col0; k++) {
        const int64_t row = k < n_rows ? r->row0 + k : r->col0 + k - n_rows;

        for (int64_t level = 0; level < n_levels; level++) {
            const int64_t at = m->position[row] * n_levels + level;
            best_t best = from.best[k * n_levels + level];

            note_best(&best, to->best_matches[at], to->best_columns[at]);
            to->best_matches[at] = best.matches;
            to->best_columns[at] = best.columns;
        }
    }
}

void clades_count_add_blocks(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, int64_t first, int64_t last,
                             clades_place_t *place, int64_t *count)
{
    const parts_t from = parts_of(m, r, record->data, record->len);
    const uint64_t row = (uint64_t)(m->plan->n_cuts * m->plan->n_bins);
    const uint64_t begin = (uint64_t)first * row, end = (uint64_t)last * row;
    const unsigned char *at = from.counts + place->at;
    uint64_t key = place->key, step, n;

    while (get_number(&at, from.end, &step) && get_number(&at, from.end, &n) &&
           key + step < end) {
        key += step;
        count[key - begin] += (int64_t)n;
        *place = (clades_place_t){(size_t)(at - from.counts), key};
    }
}

void clades_count_integrate(const clades_t *c, int64_t row, int64_t *before,
                            int64_t *count)
{
    integral_add_row(before, count, row, c->n_cuts, c->n_bins);
}
