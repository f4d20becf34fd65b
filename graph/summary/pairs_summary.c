/*
 * pairs_summary.c - counts, histogram and order of the sequences, in one scan of
 * the pairs.
 */

#include "graph/summary/spanning_forest.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

typedef struct {
    const fraction_t *id;
    spanning_forest_t *forest;
    pairs_summary_t *summary;
} state_t;

static void count_pair(state_t *w, const pairs_hit_t *hit)
{
    pairs_summary_t *s = w->summary;

    if (hit->columns == 0)
        return;
    s->n_identities++;
    s->histogram[(int64_t)hit->matches * (REPORT_BARS - 1) / hit->columns]++;
    spanning_forest_add(w->forest, hit->row, hit->col, hit->matches, hit->columns);
    s->n_close += fraction_reached(w->id, hit->matches, hit->columns);
}

status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out)
{
    pairs_summary_t s = {.n = pairs_n_rows(file)};
    state_t w = {.id = id, .summary = &s};
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t n = 0;
    status_t st;

    s.order = malloc((size_t)(s.n + 1) * sizeof(*s.order));
    st = s.order != NULL ? ST_OK : log_nomem("a summary of pairs");
    if (st == ST_OK)
        st = spanning_forest_create(s.n, &w.forest);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; k < n; k++)
            count_pair(&w, &hits[k]);
    if (st == ST_OK)
        spanning_forest_order(w.forest, s.order);
    pairs_scan_close(scan);
    spanning_forest_destroy(w.forest);
    if (st == ST_OK)
        *out = s;
    else
        pairs_summary_free(&s);
    return st;
}

void pairs_summary_free(pairs_summary_t *s)
{
    free(s->order);
    *s = (pairs_summary_t){0};
}
