/*
 * report_map.c - chooses and orders the sequences of the map, and names them.
 */
#include "tools/print/report_parts.h"

#include "graph/summary/heat_map.h"
#include "io/base/logmsg.h"
#include "io/report/report_figures.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 800 }; /* cells per side */

typedef struct {
    const pairs_file_t *file;
    const otu_table_t *table;
    const taxonomy_t *taxonomy;
    int64_t n_all;
} source_t;

/* @return the name of a taxon, of a species that of its genus; NULL: the root, or no
 *         name */
static const char *name_of_taxon(const taxonomy_t *t, int32_t taxon)
{
    const char *name =
        taxon < 0 ? "" : taxon_strips_plain_name(t, taxon_labels_genus(t, taxon));

    return *name != '\0' ? name : NULL;
}

/* Give all sequences of an OTU the taxon of its representative, which keeps the OTU
 * together in taxonomic order. */
static void take_taxa_of_otus(const otu_table_t *t, int32_t *taxa)
{
    for (int64_t i = 0; i < t->n; i++)
        if (t->otu[i] >= 0 && t->representative[t->otu[i]] != i)
            taxa[i] = taxa[t->representative[t->otu[i]]];
}

static status_t sort_by_taxon(const source_t *s, report_map_t *m)
{
    status_t st = taxon_order_sort(s->taxonomy, m->taxa, s->n_all, m->order);

    return st == ST_OK
               ? taxon_strips_make(s->taxonomy, m->taxa, m->order, s->n_all, &m->strips)
               : st;
}

/* Keep the sequences of the largest OTUs only, and label these. */
static status_t keep_blocks(const source_t *s, report_map_t *m)
{
    status_t st = map_blocks_make(s->table, m->order, REPORT_HEAT_NAMED, &m->blocks);
    const int64_t n = m->blocks.n_blocks;

    if (st != ST_OK || n == 0) /* no OTU: show all sequences */
        return st;
    memcpy(m->order, m->blocks.order, (size_t)m->blocks.n * sizeof(*m->order));
    m->labels.labels = malloc((size_t)n * sizeof(*m->labels.labels));
    if (m->labels.labels == NULL)
        return log_nomem("names of OTUs");
    for (int64_t k = 0; k < n; k++) {
        const map_block_t *b = &m->blocks.blocks[k];
        const char *taxon = s->taxonomy != NULL
                                ? name_of_taxon(s->taxonomy, m->taxa[m->order[b->begin]])
                                : NULL;

        m->labels.labels[k] = (report_label_t){b->otu, taxon, b->begin, b->end};
    }
    m->labels.n = n;
    m->shown.n = m->blocks.n;
    m->shown.shows_otus = true;
    return ST_OK;
}

/* @return whether a map of all sequences would show few pairs, and be too large to show
 *         their names instead */
static bool is_almost_empty(const pairs_file_t *file)
{
    const double n = (double)file->rows.n;

    return file->is_sparse && n > REPORT_HEAT_NAMED &&
           MAP_BLOCKS_FILL * (double)file->n_hits < n * (n - 1) / 2;
}

static status_t choose(const source_t *s, const int32_t *order, const int32_t *taxa,
                       report_map_t *m)
{
    const size_t bytes = (size_t)s->n_all * sizeof(*order);
    const bool shows_otus = is_almost_empty(s->file);
    status_t st = ST_OK;

    m->shown.n = s->n_all;
    m->order = malloc(bytes + 1);
    m->taxa = malloc(bytes + 1);
    if (m->order == NULL || m->taxa == NULL)
        return log_nomem("a heat map");
    memcpy(m->order, order, bytes);
    if (s->taxonomy != NULL) {
        memcpy(m->taxa, taxa, bytes);
        if ((st = sort_by_taxon(s, m)) != ST_OK)
            return st;
        m->shown.n_phyla = m->strips.n_phyla;
    }
    if (shows_otus && s->taxonomy != NULL) {
        taxon_strips_free(&m->strips);
        take_taxa_of_otus(s->table, m->taxa);
        if ((st = taxon_order_sort(s->taxonomy, m->taxa, s->n_all, m->order)) != ST_OK)
            return st;
    }
    if (shows_otus)
        st = keep_blocks(s, m);
    if (st == ST_OK && shows_otus && s->taxonomy != NULL)
        st = taxon_strips_make(s->taxonomy, m->taxa, m->order, m->shown.n, &m->strips);
    return st;
}

/* Name the sequences, and taxa where there is room. */
static status_t name_all(const source_t *s, const int32_t *taxa, report_map_t *m)
{
    const int64_t n = m->shown.n;

    m->names = malloc(((size_t)n + 1) * sizeof(*m->names));
    m->lowest = malloc(((size_t)n + 1) * sizeof(*m->lowest));
    if (m->names == NULL || m->lowest == NULL)
        return log_nomem("names");
    for (int64_t k = 0; k < n; k++) {
        const int32_t i = m->order[k];

        m->names[k] = s->file->rows.names[i];
        m->lowest[k] = s->taxonomy != NULL ? name_of_taxon(s->taxonomy, taxa[i]) : NULL;
    }
    if (s->taxonomy == NULL || m->shown.shows_otus || n <= REPORT_HEAT_NAMED)
        return ST_OK;
    return taxon_labels_make(s->taxonomy, taxa, m->order, n, report_heat_label_min(n),
                             &m->labels);
}

status_t report_map_make(const pairs_file_t *file, const int32_t *order,
                         const otu_table_t *table, const taxonomy_t *taxonomy,
                         const int32_t *taxa, report_map_t *out)
{
    const source_t s = {file, table, taxonomy, file->rows.n};
    report_heat_map_t *shown = &out->shown;
    status_t st = choose(&s, order, taxa, out);

    if (st == ST_OK)
        st = name_all(&s, taxa, out);
    if (st == ST_OK)
        st = heat_map_make(file, out->order, shown->n,
                           shown->n < SIDE_MAX ? (int)shown->n : SIDE_MAX, &out->cells);
    if (st != ST_OK)
        return st;
    shown->side = out->cells.side;
    shown->mean = out->cells.mean;
    shown->coverage = out->cells.coverage;
    shown->order = taxonomy != NULL ? "taxonomic order" : "single-linkage order";
    shown->strips = out->strips.strips;
    shown->n_strips = out->strips.n_strips;
    shown->names = out->names;
    shown->taxa = taxonomy != NULL ? out->lowest : NULL;
    shown->labels = out->labels.labels;
    shown->n_labels = out->labels.n;
    return ST_OK;
}

void report_map_free(report_map_t *m)
{
    map_blocks_free(&m->blocks);
    heat_map_free(&m->cells);
    taxon_strips_free(&m->strips);
    taxon_labels_free(&m->labels);
    free(m->order);
    free(m->taxa);
    free(m->names);
    free(m->lowest);
    *m = (report_map_t){.order = NULL};
}
