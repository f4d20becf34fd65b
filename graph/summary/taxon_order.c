/*
 * taxon_order.c - sorts sequences by lineage, with taxa ordered by size; strips and
 * labels of the taxa beside a heat map.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const taxonomy_t *taxonomy;
    const int32_t *taxa;
    int32_t *members;   /* [taxa] number of sequences at or below each taxon */
    int32_t *positions; /* [n] position of each sequence in the given order */
} sort_t;

/* Compare two lineages where they diverge. @return < 0 if x comes first */
static int compare_taxa(const sort_t *s, int32_t x, int32_t y)
{
    for (int rank = 1; x != y; rank++) {
        int32_t a = taxonomy_ancestor(s->taxonomy, x, rank);
        int32_t b = taxonomy_ancestor(s->taxonomy, y, rank);

        if (a < 0 || b < 0)
            return a < 0 ? 1 : -1;
        if (a == b)
            continue;
        if (s->members[a] != s->members[b])
            return s->members[a] > s->members[b] ? -1 : 1;
        return strcmp(taxonomy_name(s->taxonomy, a), taxonomy_name(s->taxonomy, b));
    }
    return 0;
}

static int compare(const void *a, const void *b, void *context)
{
    const sort_t *s = context;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    int32_t x = s->taxa[i], y = s->taxa[j];
    int c = x == y ? 0 : x < 0 ? 1 : y < 0 ? -1 : compare_taxa(s, x, y);

    return c != 0 ? c : s->positions[i] < s->positions[j] ? -1 : 1;
}

status_t taxon_order_sort(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                          int32_t *order)
{
    sort_t s = {.taxonomy = t, .taxa = taxa};
    status_t st = ST_OK;

    s.members = calloc((size_t)taxonomy_n_taxa(t), sizeof(*s.members));
    s.positions = malloc((size_t)(n + 1) * sizeof(*s.positions));
    if (s.members == NULL || s.positions == NULL) {
        st = log_nomem("an order of the sequences");
        goto done;
    }
    for (int64_t k = 0; k < n; k++) {
        s.positions[order[k]] = (int32_t)k;
        for (int rank = taxa[k] < 0 ? 0 : taxonomy_rank(t, taxa[k]); rank > 0; rank--)
            s.members[taxonomy_ancestor(t, taxa[k], rank)]++;
    }
    qsort_r(order, (size_t)n, sizeof(*order), compare, &s);
done:
    free(s.members);
    free(s.positions);
    return st;
}

/* ---- strips ---- */

/* Finds the runs of one phylum in an order of sequences, and their
 * names. */

/* @return the phylum of a taxon; the taxon itself if it stands above the phyla, or is -1
 */
static int32_t strip_taxon(const taxonomy_t *t, int32_t taxon)
{
    int32_t phylum =
        taxon < 0 ? -1 : taxonomy_ancestor(t, taxon, taxonomy_phylum_rank(t));

    return phylum >= 0 ? phylum : taxon;
}

const char *taxon_strips_plain_name(const taxonomy_t *t, int32_t taxon)
{
    const char *name = taxonomy_name(t, taxon);

    return name[0] != '\0' && name[1] == '_' && name[2] == '_' ? name + 3 : name;
}

static const char no_phylum[] =
    "no phylum"; /* for the empty name in "k__Bacteria; p__" */

static const char *strip_name(const taxonomy_t *t, int32_t taxon)
{
    const char *name = taxon < 0 ? "no lineage" : taxon_strips_plain_name(t, taxon);

    return *name != '\0' || *taxonomy_name(t, taxon) == '\0' ? name : no_phylum;
}

static bool is_phylum(const taxonomy_t *t, int32_t taxon)
{
    return taxon >= 0 && taxonomy_rank(t, taxon) == taxonomy_phylum_rank(t) &&
           strcmp(strip_name(t, taxon), no_phylum) != 0;
}

status_t taxon_strips_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, taxon_strips_t *out)
{
    taxon_strips_t s = {.strips = malloc((size_t)(n + 1) * sizeof(*s.strips))};

    if (s.strips == NULL)
        return log_nomem("strips");
    for (int64_t begin = 0, end; begin < n; begin = end) {
        int32_t taxon = strip_taxon(t, taxa[order[begin]]);

        for (end = begin + 1; end < n && strip_taxon(t, taxa[order[end]]) == taxon; end++)
            continue;
        s.strips[s.n_strips++] = (report_strip_t){strip_name(t, taxon), begin, end};
        s.n_phyla += is_phylum(t, taxon);
    }
    *out = s;
    return ST_OK;
}

void taxon_strips_free(taxon_strips_t *s)
{
    free(s->strips);
    *s = (taxon_strips_t){0};
}

/* ---- labels: runs of one taxon, rank by rank from the lowest ---- */

typedef struct {
    const taxonomy_t *t;
    const int32_t *taxa, *order;
    int64_t n, min_run;
    bool *is_labelled; /* [n] */
} work_t;

int32_t taxon_labels_genus(const taxonomy_t *t, int32_t taxon)
{
    const char *name = taxonomy_name(t, taxon);
    const int rank = taxonomy_rank(t, taxon), phylum = taxonomy_phylum_rank(t);
    const bool has_epithet = rank == phylum + 5 && islower((unsigned char)name[0]);
    const bool is_species = strncmp(name, "s__", 3) == 0 || has_epithet;

    return is_species && rank > phylum ? taxonomy_ancestor(t, taxon, rank - 1) : taxon;
}

/* @return the lowest taxon to name at a position, or -1 */
static int32_t lowest_at(const work_t *w, int64_t position)
{
    const int32_t taxon = w->taxa[w->order[position]];

    return taxon < 0 ? -1 : taxon_labels_genus(w->t, taxon);
}

/* @return the taxon of a rank at a position, or -1 */
static int32_t taxon_at(const work_t *w, int64_t position, int rank)
{
    const int32_t taxon = lowest_at(w, position);

    return taxon < 0 ? -1 : taxonomy_ancestor(w->t, taxon, rank);
}

static int lowest_rank(const work_t *w)
{
    int lowest = 0;

    for (int64_t k = 0; k < w->n; k++) {
        const int32_t taxon = lowest_at(w, k);
        const int rank = taxon < 0 ? 0 : taxonomy_rank(w->t, taxon);

        lowest = rank > lowest ? rank : lowest;
    }
    return lowest;
}

static void label_run(work_t *w, int32_t taxon, int64_t begin, int64_t end,
                      taxon_labels_t *l)
{
    const char *name = taxon < 0 ? "" : taxon_strips_plain_name(w->t, taxon);

    if (*name == '\0' || end - begin < w->min_run)
        return;
    for (int64_t k = begin; k < end; k++)
        if (w->is_labelled[k])
            return;
    for (int64_t k = begin; k < end; k++)
        w->is_labelled[k] = true;
    l->labels[l->n++] =
        (report_label_t){.otu = -1, .taxon = name, .begin = begin, .end = end};
}

status_t taxon_labels_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, int64_t min_run, taxon_labels_t *out)
{
    work_t w = {t, taxa, order, n, min_run, calloc((size_t)n + 1, sizeof(bool))};
    taxon_labels_t l = {.labels = malloc(((size_t)n + 1) * sizeof(*l.labels))};

    if (w.is_labelled == NULL || l.labels == NULL) {
        free(w.is_labelled);
        free(l.labels);
        return log_nomem("names of taxa");
    }
    for (int rank = lowest_rank(&w); rank >= taxonomy_phylum_rank(t); rank--)
        for (int64_t begin = 0, end; begin < n; begin = end) {
            const int32_t taxon = taxon_at(&w, begin, rank);

            for (end = begin + 1; end < n && taxon_at(&w, end, rank) == taxon; end++)
                continue;
            label_run(&w, taxon, begin, end, &l);
        }
    free(w.is_labelled);
    *out = l;
    return ST_OK;
}

void taxon_labels_free(taxon_labels_t *l)
{
    free(l->labels);
    *l = (taxon_labels_t){0};
}
