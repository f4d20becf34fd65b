/*
 * pairs_scan_state.c - the buffers that every scan has, and their order.
 */
#include "io/pairs/pairs_scan_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t pairs_scan_reserve(pairs_scan_t *s, int64_t capacity)
{
    size_t n = (size_t)capacity;

    s->hits = malloc(n * sizeof(*s->hits) + 1);
    s->text_begin = malloc((n + 1) * sizeof(*s->text_begin));
    s->text_len = malloc(n * sizeof(*s->text_len) + 1);
    if (s->hits == NULL || s->text_begin == NULL || s->text_len == NULL)
        return log_nomem("pairs");
    s->capacity = capacity;
    return ST_OK;
}

/* ---- sorting a block of pairs, with the places of their CIGARs ---- */

typedef struct {
    pairs_hit_t hit;
    int64_t text_begin, text_len;
} entry_t;

static int compare(const void *a, const void *b, void *ctx)
{
    const pairs_order_t order = *(pairs_order_t *)ctx;
    const pairs_hit_t *x = &((const entry_t *)a)->hit, *y = &((const entry_t *)b)->hit;
    int better = pairs_order_compare(order, x, y);

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (order == PAIRS_BY_IDENTITY && (x->columns > 0) != (y->columns > 0))
        return x->columns > 0 ? -1 : 1; /* pairs without an identity come last */
    if (better != 0)
        return -better;
    return (x->col > y->col) - (x->col < y->col);
}

status_t pairs_scan_sort(pairs_scan_t *s)
{
    bool has_cigars = s->file->n_datasets == PAIRS_N_CIGAR;
    entry_t *entries;
    status_t st = buf_reserve(&s->sorted, (size_t)s->n * sizeof(*entries) + 1);

    if (st != ST_OK)
        return st;
    entries = (entry_t *)(void *)s->sorted.data;
    for (int64_t k = 0; k < s->n; k++)
        entries[k] = (entry_t){.hit = s->hits[k],
                               .text_begin = has_cigars ? s->text_begin[k] : 0,
                               .text_len = has_cigars ? s->text_len[k] : 0};
    qsort_r(entries, (size_t)s->n, sizeof(*entries), compare, &s->order);
    for (int64_t k = 0; k < s->n; k++) {
        s->hits[k] = entries[k].hit;
        s->text_begin[k] = entries[k].text_begin;
        s->text_len[k] = entries[k].text_len;
    }
    return ST_OK;
}
