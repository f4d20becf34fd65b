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
    double evalue; /* by PAIRS_BY_EVALUE */
} entry_t;

/* @return less than 0 if x comes first */
static int compare_evalues(const entry_t *x, const entry_t *y)
{
    if (x->evalue != y->evalue)
        return x->evalue < y->evalue ? -1 : 1;
    return (x->hit.score < y->hit.score) - (x->hit.score > y->hit.score);
}

static int compare(const void *a, const void *b, void *ctx)
{
    const pairs_order_t order = *(pairs_order_t *)ctx;
    const pairs_hit_t *x = &((const entry_t *)a)->hit, *y = &((const entry_t *)b)->hit;
    int better = order == PAIRS_BY_EVALUE ? -compare_evalues(a, b)
                                          : pairs_order_compare(order, x, y);

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (order == PAIRS_BY_IDENTITY && (x->columns > 0) != (y->columns > 0))
        return x->columns > 0 ? -1 : 1; /* pairs without an identity come last */
    if (better != 0)
        return -better;
    return (x->col > y->col) - (x->col < y->col);
}

/* @return 0 unless the order needs it */
static double evalue_of_hit(const pairs_scan_t *s, const pairs_hit_t *hit)
{
    return s->order == PAIRS_BY_EVALUE
               ? evalue_of(&s->law, hit->score, pairs_len(s->file, hit->row),
                           pairs_col_len(s->file, hit->col))
               : 0;
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
                               .text_len = has_cigars ? s->text_len[k] : 0,
                               .evalue = evalue_of_hit(s, &s->hits[k])};
    qsort_r(entries, (size_t)s->n, sizeof(*entries), compare, &s->order);
    for (int64_t k = 0; k < s->n; k++) {
        s->hits[k] = entries[k].hit;
        s->text_begin[k] = entries[k].text_begin;
        s->text_len[k] = entries[k].text_len;
    }
    return ST_OK;
}
