/*
 * taxon_order.h - sequences in the order of their lineages.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_TAXON_ORDER_H
#define RIBOGRID_GRAPH_SUMMARY_TAXON_ORDER_H

#include "io/seq/taxonomy.h"

/*
 * Sort sequences by lineage: at each rank the taxon with most of them first, of equal
 * ones by name; those whose lineage ends at a rank come behind the others, those without
 * a lineage last.  Within a lineage the given order stays.
 *
 * @param taxa   [n] by sequence; -1: without a lineage
 * @param order  [n] the sequences, sorted in place
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_order_sort(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                          int32_t *order) MUST_CHECK;

#endif
