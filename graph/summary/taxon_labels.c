/*
 * taxon_labels.c - finds runs of one taxon, rank by rank from the lowest.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
