/*
 * pairs_summary.c - counts, histogram, groups and order of the sequences, in one scan of
 * the pairs.
 */
#include "graph/summary/pairs_summary.h"

#include "graph/cluster/disjoint_sets.h"
#include "graph/summary/spanning_forest.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const fraction_t *id;
    spanning_forest_t *forest;
    disjoint_sets_t otus;
    pairs_summary_t *summary;
} state_t;

static status_t count_pair(state_t *w, const pairs_hit_t *hit)
{
    pairs_summary_t *s = w->summary;

    if (hit->columns <= 0)
        return ST_OK;
    if (hit->matches < 0 || hit->matches > hit->columns) {
        log_error(
            "sequences %d and %d: %d matches in %d columns are impossible; the file "
            "is damaged, align again",
            (int)hit->row + 1, (int)hit->col + 1, (int)hit->matches, (int)hit->columns);
        return ST_EINPUT;
    }
    s->n_identities++;
    s->histogram[(int64_t)hit->matches * (REPORT_BARS - 1) / hit->columns]++;
    spanning_forest_add(w->forest, hit->row, hit->col, hit->matches, hit->columns);
    if (fraction_reached(w->id, hit->matches, hit->columns)) {
        s->n_close++;
        disjoint_sets_join(&w->otus, hit->row, hit->col);
    }
    return ST_OK;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* Add up the abundance of each OTU and sort them. */
static void count_otus(state_t *w, const int64_t *sizes)
{
    pairs_summary_t *s = w->summary;
    int64_t n_otus = 0;

    memset(s->otus, 0, (size_t)s->n * sizeof(*s->otus));
    for (int32_t i = 0; i < s->n; i++)
        s->otus[disjoint_sets_root(&w->otus, i)] += sizes != NULL ? sizes[i] : 1;
    for (int64_t i = 0; i < s->n; i++)
        if (w->otus.parent[i] == i)
            s->otus[n_otus++] = s->otus[i];
    qsort(s->otus, (size_t)n_otus, sizeof(*s->otus), descending);
    s->n_otus = n_otus;
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
    s.otus = malloc((size_t)(s.n + 1) * sizeof(*s.otus));
    st = s.order != NULL && s.otus != NULL ? ST_OK : log_nomem("a summary of pairs");
    if (st == ST_OK)
        st = spanning_forest_create(s.n, &w.forest);
    if (st == ST_OK)
        st = disjoint_sets_make(s.n, &w.otus);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; st == ST_OK && k < n; k++)
            st = count_pair(&w, &hits[k]);
    if (st == ST_OK) {
        spanning_forest_order(w.forest, s.order);
        count_otus(&w, pairs_sizes(file));
    }
    pairs_scan_close(scan);
    spanning_forest_destroy(w.forest);
    disjoint_sets_free(&w.otus);
    if (st == ST_OK)
        *out = s;
    else
        pairs_summary_free(&s);
    return st;
}

void pairs_summary_free(pairs_summary_t *s)
{
    free(s->order);
    free(s->otus);
    *s = (pairs_summary_t){0};
}
