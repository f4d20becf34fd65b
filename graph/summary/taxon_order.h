/*
 * taxon_order.h - orders sequences by their lineages.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_TAXON_ORDER_H
#define RIBOGRID_GRAPH_SUMMARY_TAXON_ORDER_H

#include "io/seq/taxonomy.h"

/*
 * Sort sequences by lineage.  At each rank, the taxon with the most sequences comes
 * first; equal ones are sorted by name.  Sequences whose lineage ends at a rank follow
 * the others there; sequences without a lineage are last.  Within a lineage the given
 * order is kept.
 *
 * @param taxa   [n] by sequence; -1: without a lineage
 * @param order  [n] the sequences, sorted in place
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_order_sort(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                          int32_t *order) MUST_CHECK;

#endif
