/*
 * taxon_strips.h - runs of neighbouring sequences of one phylum, for the strips beside a
 * heat map.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_TAXON_STRIPS_H
#define RIBOGRID_GRAPH_SUMMARY_TAXON_STRIPS_H

#include "io/report/report_data.h"
#include "io/seq/taxonomy.h"

typedef struct {
    report_strip_t *strips; /* [n_strips] in order, without gaps; names are borrowed from
                             * the taxonomy */
    int n_strips;
    int n_phyla; /* strips that are a phylum with a name */
} taxon_strips_t;

/*
 * Divide an order of sequences into strips.
 *
 * A strip is named after its phylum, without a prefix such as "p__".  Where a lineage
 * ends above the rank of phyla, it is named after the lineage's lowest taxon.
 *
 * @param taxa   [n] by sequence; -1: without a lineage
 * @param order  [n] the sequences, as taxon_order_sort leaves them
 * @param out    release with taxon_strips_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_strips_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, taxon_strips_t *out) MUST_CHECK;

/* @return the name of a taxon without a prefix such as "p__", borrowed; it may be empty
 */
const char *taxon_strips_plain_name(const taxonomy_t *t, int32_t taxon);

/* Takes a zeroed one, too. */
void taxon_strips_free(taxon_strips_t *s);

#endif
