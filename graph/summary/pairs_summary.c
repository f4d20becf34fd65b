#include "graph/summary/pairs_summary.h"

#include "graph/cluster/disjoint_sets.h"
#include "graph/summary/spanning_forest.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const fraction_t *id;
    spanning_forest_t *forest;
    disjoint_sets_t otus;
    pairs_summary_t *pairs_summary;
} counts_t;

static status_t count_pair(counts_t *c, const pairs_hit_t *hit)
{
    if (hit->columns <= 0)
        return ST_OK;
    if (hit->matches < 0 || hit->matches > hit->columns) {
        log_error("sequences %d and %d: %d matches in %d columns cannot be; the file is "
                  "damaged, align again",
                  (int)hit->row + 1, (int)hit->col + 1, (int)hit->matches,
                  (int)hit->columns);
        return ST_EINPUT;
    }
    c->pairs_summary->n_identities++;
    c->pairs_summary
        ->histogram[(int64_t)hit->matches * (PAIRS_SUMMARY_BARS - 1) / hit->columns]++;
    spanning_forest_add(c->forest, hit->row, hit->col, hit->matches, hit->columns);
    if (fraction_reached(c->id, hit->matches, hit->columns)) {
        c->pairs_summary->n_close++;
        disjoint_sets_join(&c->otus, hit->row, hit->col);
    }
    return ST_OK;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* Add up each OTU's abundance. */
static void weigh_otus(counts_t *c, const int64_t *sizes)
{
    pairs_summary_t *s = c->pairs_summary;
    int64_t n_otus = 0;

    memset(s->otus, 0, (size_t)s->n * sizeof(*s->otus));
    for (int32_t i = 0; i < s->n; i++)
        s->otus[disjoint_sets_root(&c->otus, i)] += sizes != NULL ? sizes[i] : 1;
    for (int64_t i = 0; i < s->n; i++)
        if (c->otus.parent[i] == i)
            s->otus[n_otus++] = s->otus[i];
    qsort(s->otus, (size_t)n_otus, sizeof(*s->otus), descending);
    s->n_otus = n_otus;
}

status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out)
{
    pairs_summary_t s = {.n = pairs_n_rows(file)};
    counts_t c = {.id = id, .pairs_summary = &s};
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t n = 0;
    status_t st;

    s.order = malloc((size_t)(s.n + 1) * sizeof(*s.order));
    s.otus = malloc((size_t)(s.n + 1) * sizeof(*s.otus));
    st =
        s.order != NULL && s.otus != NULL ? ST_OK : log_nomem("a pairs_summary of pairs");
    if (st == ST_OK)
        st = spanning_forest_create(s.n, &c.forest);
    if (st == ST_OK)
        st = disjoint_sets_make(s.n, &c.otus);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; st == ST_OK && k < n; k++)
            st = count_pair(&c, &hits[k]);
    if (st == ST_OK) {
        spanning_forest_order(c.forest, s.order);
        weigh_otus(&c, pairs_sizes(file));
    }
    pairs_scan_close(scan);
    spanning_forest_destroy(c.forest);
    disjoint_sets_free(&c.otus);
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

int64_t heat_map_begin(const heat_map_t *c, int64_t n, int k)
{
    return (k * n + c->side - 1) / c->side;
}

/* Pairs of a cell, had all an identity. */
static double pairs_of(const heat_map_t *c, int64_t n, int row, int col)
{
    double height = (double)(heat_map_begin(c, n, row + 1) - heat_map_begin(c, n, row));
    double width = (double)(heat_map_begin(c, n, col + 1) - heat_map_begin(c, n, col));

    return row == col ? height * (height - 1) / 2 : height * width;
}

/* Sums and counts, of the cells on and above the diagonal, become what is shown. */
static void finish(heat_map_t *c, int64_t n)
{
    for (int row = 0; row < c->side; row++)
        for (int col = row; col < c->side; col++) {
            double *mean = &c->mean[row * c->side + col];
            double *share = &c->share[row * c->side + col];
            double pairs = pairs_of(c, n, row, col);

            *mean = pairs < 1 ? 1 : *share > 0 ? *mean / *share : NAN;
            *share = pairs < 1 ? 1 : *share / pairs;
            c->mean[col * c->side + row] = *mean;
            c->share[col * c->side + row] = *share;
        }
}

static void add_pair(heat_map_t *c, const int32_t *cell_of, const pairs_hit_t *hit)
{
    int32_t a = cell_of[hit->row], b = cell_of[hit->col];
    int64_t at = a < b ? (int64_t)a * c->side + b : (int64_t)b * c->side + a;

    if (hit->columns <= 0)
        return;
    c->mean[at] += (double)hit->matches / hit->columns;
    c->share[at]++;
}

status_t heat_map_make(const pairs_file_t *file, const int32_t *order, int side,
                       heat_map_t *out)
{
    int64_t n_rows = pairs_n_rows(file), n = 0;
    size_t n_cells = (size_t)side * (size_t)side;
    heat_map_t c = {side, calloc(n_cells + 1, sizeof(double)),
                    calloc(n_cells + 1, sizeof(double))};
    int32_t *cell_of = malloc((size_t)(n_rows + 1) * sizeof(*cell_of));
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    status_t st = ST_OK;

    if (c.mean == NULL || c.share == NULL || cell_of == NULL)
        st = log_nomem("a picture of pairs");
    for (int64_t k = 0; st == ST_OK && k < n_rows; k++)
        cell_of[order[k]] = (int32_t)(k * side / n_rows);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; k < n; k++)
            add_pair(&c, cell_of, &hits[k]);
    pairs_scan_close(scan);
    free(cell_of);
    if (st != ST_OK) {
        heat_map_free(&c);
        return st;
    }
    finish(&c, n_rows);
    *out = c;
    return ST_OK;
}

void heat_map_free(heat_map_t *c)
{
    free(c->mean);
    free(c->share);
    *c = (heat_map_t){0};
}
