/*
 * clades_ask.c - finds taxa, and counts pairs within and between them.
 */
#include "graph/clades/clades_ask.h"

#include "graph/clades/clades_count.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- taxa ---- */

status_t clades_lineage(const clades_t *c, int32_t taxon, buf_t *out)
{
    status_t st = c->parent[taxon] > 0 ? clades_lineage(c, c->parent[taxon], out) : ST_OK;

    return st == ST_OK ? buf_printf(out, "%s%s", c->parent[taxon] > 0 ? ";" : "",
                                    c->taxon_name[taxon])
                       : st;
}

static bool is_named(const char *name, const char *text, size_t len)
{
    const bool has_prefix = name[0] != '\0' && strncmp(name + 1, "__", 2) == 0;

    return (strncmp(name, text, len) == 0 && name[len] == '\0') ||
           (has_prefix && strncmp(name + 3, text, len) == 0 && name[3 + len] == '\0');
}

/* @return whether a taxon has a name, or a lineage whose names are separated by ';' */
static bool is_meant(const clades_t *c, int32_t taxon, const char *text)
{
    const char *end = text + strlen(text);

    if (strchr(text, ';') == NULL)
        return is_named(c->taxon_name[taxon], text, strlen(text));
    for (; taxon > 0; taxon = c->parent[taxon]) {
        const char *name = end;

        while (name > text && name[-1] != ';')
            name--;
        if (!is_named(c->taxon_name[taxon], name, (size_t)(end - name)))
            return false;
        if (name == text)
            return c->parent[taxon] == 0;
        end = name - 1;
    }
    return false;
}

static status_t refuse_both(const clades_t *c, const char *path, const char *text,
                            int32_t a, int32_t b)
{
    buf_t lineages = {0};
    status_t st = clades_lineage(c, a, &lineages);

    if (st == ST_OK)
        st = buf_printf(&lineages, " and ");
    if (st == ST_OK)
        st = clades_lineage(c, b, &lineages);
    if (st == ST_OK)
        st = log_refusal(path, "give the whole lineage of one", "'%s' is %.*s", text,
                         (int)lineages.len, (const char *)lineages.data);
    buf_free(&lineages);
    return st;
}

status_t clades_find(const clades_t *c, const char *path, const char *text, int32_t *out)
{
    int32_t found = -1;

    for (int32_t t = 1; t < c->n_taxa; t++) {
        if (!is_meant(c, t, text))
            continue;
        if (found >= 0)
            return refuse_both(c, path, text, found, t);
        found = t;
    }
    if (found < 0)
        return log_refusal(path, "`ribogrid view` prints lineages",
                           "none of its sequences is of a taxon '%s'", text);
    *out = found;
    return ST_OK;
}

bool clades_is_cut(const clades_t *c, int32_t taxon)
{
    return c->cut[clades_cut_before(c, c->begin[taxon])] == c->begin[taxon] &&
           c->cut[clades_cut_before(c, c->end[taxon])] == c->end[taxon];
}

/* ---- two taxa ---- */

/* A taxon: positions, and the blocks in it. */
typedef struct {
    int64_t begin, end, first, last;
} range_t;

static range_t range_of(const clades_t *c, int32_t taxon)
{
    range_t r = {c->begin[taxon], c->end[taxon], 0, 0};

    r.first = clades_cut_before(c, r.begin);
    r.first += c->cut[r.first] < r.begin;
    r.last = clades_cut_before(c, r.end);
    if (r.last < r.first)
        r.last = r.first;
    return r;
}

/* Of a sequence: which taxon it is in, and whether it lies outside of the blocks. */
enum { IN_A = 1, IN_B = 2, IS_REST = 4 };

static void mark(const clades_t *c, const range_t *r, unsigned char in,
                 unsigned char *marks)
{
    for (int64_t p = r->begin; p < r->end; p++)
        marks[c->row[p]] =
            (unsigned char)(in |
                            (p < c->cut[r->first] || p >= c->cut[r->last] ? IS_REST : 0));
}

static void count_rest(const clades_t *c, const pairs_hit_t *hits, int64_t n,
                       const unsigned char *marks, int64_t *count)
{
    for (int64_t k = 0; k < n; k++) {
        const pairs_hit_t *h = &hits[k];
        const int x = marks[h->row], y = marks[h->col], in = (x | y) & ~IS_REST;
        const int set = in == IN_A   ? CLADES_WITHIN_A
                        : in == IN_B ? CLADES_WITHIN_B
                                     : CLADES_BETWEEN;

        if (x != 0 && y != 0 && ((x | y) & IS_REST) != 0 && h->columns > 0 &&
            h->row < h->col)
            count[set * c->n_bins + clades_bin(c, h->matches, h->columns)]++;
    }
}

/* Count those of a region, if it has any of them. */
static status_t scan_region(const clades_t *c, const pairs_file_t *pairs,
                            const pairs_region_t *r, const unsigned char *marks,
                            int64_t *count)
{
    unsigned char rows = 0, columns = 0;
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    int64_t n = 1;
    status_t st;

    for (int64_t i = r->row0; i < r->row1; i++)
        rows |= marks[i];
    for (int64_t j = r->col0; j < r->col1; j++)
        columns |= marks[j];
    if (rows == 0 || columns == 0 || ((rows | columns) & IS_REST) == 0)
        return ST_OK;
    st = pairs_scan_open_region(pairs, NULL, r, &scan);
    while (st == ST_OK && n > 0)
        if ((st = pairs_scan_next(scan, &hits, &n)) == ST_OK)
            count_rest(c, hits, n, marks, count);
    pairs_scan_close(scan);
    return st;
}

/* Of a matrix, tile by tile. */
static status_t scan_rest(const clades_t *c, const pairs_file_t *pairs,
                          const unsigned char *marks, int64_t *count)
{
    const int64_t n = pairs->rows.n, side = pairs->is_sparse ? n : pairs->grid.side;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i += side)
        for (int64_t j = i; st == ST_OK && j < n; j += side)
            st = scan_region(c, pairs,
                             &(pairs_region_t){i, i + side < n ? i + side : n, j,
                                               j + side < n ? j + side : n},
                             marks, count);
    return st;
}

status_t clades_ask(clades_file_t *f, const clades_t *c, int32_t a, int32_t b,
                    const pairs_file_t *pairs, int64_t *count)
{
    const range_t x = range_of(c, a), y = range_of(c, b);
    const range_t *before = x.begin < y.begin ? &x : &y;
    const range_t *behind = before == &x ? &y : &x;
    unsigned char *marks;
    status_t st;

    memset(count, 0, CLADES_N_SETS * (size_t)c->n_bins * sizeof(*count));
    if ((st = clades_file_count(f, x.first, x.last, x.first, x.last, count)) != ST_OK ||
        (st = clades_file_count(f, y.first, y.last, y.first, y.last,
                                count + CLADES_WITHIN_B * c->n_bins)) != ST_OK ||
        (st = clades_file_count(f, before->first, before->last, behind->first,
                                behind->last, count + CLADES_BETWEEN * c->n_bins)) !=
            ST_OK ||
        pairs == NULL)
        return st;
    if ((marks = calloc((size_t)c->n, 1)) == NULL)
        return log_nomem("taxa");
    mark(c, &x, IN_A, marks);
    mark(c, &y, IN_B, marks);
    st = scan_rest(c, pairs, marks, count);
    free(marks);
    return st;
}

int64_t clades_sum(const clades_t *c, const int64_t *count)
{
    int64_t n = 0;

    for (int64_t k = 0; k < c->n_bins; k++)
        n += count[k];
    return n;
}

int64_t clades_kth(const clades_t *c, const int64_t *count, int64_t k)
{
    for (int64_t bin = 0; k > 0 && bin < c->n_bins; bin++)
        if ((k -= count[bin]) <= 0)
            return bin;
    return -1;
}

/* ---- all taxa ---- */

typedef struct {
    clades_file_t *f;
    const clades_t *c;
    clades_row_t *rows;
    int64_t *row_of; /* [n_taxa] -1: a border is no cut */
    int64_t *with; /* [n_cuts + 1][n_bins] pairs of a taxon with what lies before a cut */
    int64_t *spare; /* likewise */
} table_t;

/* Find pairs whose first sequence is in a taxon, and whose second one lies before cuts
 * first .. last. */
static status_t read_taxon(table_t *w, int64_t begin, int64_t first, int64_t last)
{
    const int64_t n = last - first + 1;
    status_t st = clades_file_read(w->f, first, first, n, w->with);

    if (st == ST_OK)
        st = clades_file_read(w->f, begin, first, n, w->spare);
    for (int64_t k = 0; st == ST_OK && k < n * w->c->n_bins; k++)
        if ((w->with[k] -= w->spare[k]) < 0)
            st = clades_file_refuse(w->f);
    return st;
}

static void note_nearest(clades_row_t *row, int32_t other, int64_t max, int64_t n)
{
    if (max > row->max_nearest || (max == row->max_nearest && n > row->n_nearest)) {
        row->nearest = other;
        row->max_nearest = max;
        row->n_nearest = n;
    }
}

/* Count pairs with a sibling that lies behind. @param first  cut that w->with begins at
 */
static status_t meet(table_t *w, int32_t taxon, int32_t other, int64_t first)
{
    const clades_t *c = w->c;
    const int64_t b0 = clades_cut_before(c, c->begin[other]) - first;
    const int64_t b1 = clades_cut_before(c, c->end[other]) - first;
    int64_t max = -1, n_max = 0;

    for (int64_t k = 0; b0 >= 0 && k < c->n_bins; k++) {
        const int64_t n = w->with[b1 * c->n_bins + k] - w->with[b0 * c->n_bins + k];

        if (n < 0)
            return clades_file_refuse(w->f);
        max = n > 0 ? k : max;
        n_max = n > 0 ? n : n_max;
    }
    if (max >= 0) {
        note_nearest(&w->rows[w->row_of[taxon]], other, max, n_max);
        note_nearest(&w->rows[w->row_of[other]], taxon, max, n_max);
    }
    return ST_OK;
}

/* @return whether a sequence is more similar to one of another taxon than to any of its
 *         own one of a rank */
static bool is_misfit(const clades_t *c, int64_t position, int rank)
{
    const int32_t *m = c->best_matches + position * c->n_levels;
    const int32_t *n = c->best_columns + position * c->n_levels;
    int64_t in = -1, out = -1;

    for (int64_t level = 0; level < c->n_levels; level++) {
        const bool is_in = level >= 2 * rank;
        int64_t *best = is_in ? &in : &out;

        if (n[level] > 0 && (is_in || level % 2 == 0) &&
            (*best < 0 || (int64_t)m[level] * n[*best] > (int64_t)m[*best] * n[level]))
            *best = level;
    }
    return in >= 0 && out >= 0 && (int64_t)m[out] * n[in] > (int64_t)m[in] * n[out];
}

static status_t describe(table_t *w, int32_t taxon)
{
    const clades_t *c = w->c;
    const int32_t parent = c->parent[taxon];
    const int64_t begin = clades_cut_before(c, c->begin[taxon]);
    const int64_t end = clades_cut_before(c, c->end[taxon]);
    clades_row_t *row = &w->rows[w->row_of[taxon]];
    status_t st = read_taxon(w, begin, end, clades_cut_before(c, c->end[parent]));

    if (st != ST_OK)
        return st;
    row->n_pairs = clades_sum(c, w->with);
    row->min = clades_kth(c, w->with, 1);
    row->median = clades_kth(c, w->with, (row->n_pairs + 1) / 2);
    for (int64_t p = c->begin[taxon], rank = clades_rank(c, taxon); p < c->end[taxon];
         p++)
        row->n_misfits += is_misfit(c, p, (int)rank);
    for (int32_t t = taxon + 1;
         st == ST_OK && t < c->n_taxa && c->begin[t] < c->end[parent]; t++)
        if (c->parent[t] == parent && w->row_of[t] >= 0)
            st = meet(w, taxon, t, end);
    return st;
}

status_t clades_table(clades_file_t *f, const clades_t *c, clades_row_t **rows,
                      int64_t *n_rows)
{
    const size_t values = (size_t)((c->n_cuts + 1) * c->n_bins);
    table_t w = {.f = f,
                 .c = c,
                 .rows = malloc((size_t)c->n_taxa * sizeof(*w.rows)),
                 .row_of = malloc((size_t)c->n_taxa * sizeof(*w.row_of)),
                 .with = malloc(values * sizeof(*w.with)),
                 .spare = malloc(values * sizeof(*w.spare))};
    int64_t n = 0;
    status_t st = ST_OK;

    if (w.rows == NULL || w.row_of == NULL || w.with == NULL || w.spare == NULL)
        st = log_nomem("a table of taxa");
    for (int32_t t = 1; st == ST_OK && t < c->n_taxa; t++) {
        w.row_of[t] = clades_is_cut(c, t) ? n : -1;
        if (w.row_of[t] >= 0)
            w.rows[n++] = (clades_row_t){.taxon = t, .nearest = -1, .max_nearest = -1};
    }
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        st = describe(&w, w.rows[k].taxon);
    free(w.row_of);
    free(w.with);
    free(w.spare);
    if (st == ST_OK) {
        *rows = w.rows;
        *n_rows = n;
    } else
        free(w.rows);
    return st;
}
