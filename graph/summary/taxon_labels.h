/*
 * taxon_labels.h - names of taxa beside a heat map, of the lowest ranks that have room.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_TAXON_LABELS_H
#define RIBOGRID_GRAPH_SUMMARY_TAXON_LABELS_H

#include "io/report/report_data.h"
#include "io/seq/taxonomy.h"

typedef struct {
    report_label_t *labels; /* [n] names are borrowed from the taxonomy */
    int64_t n;
} taxon_labels_t;

/*
 * @return the genus of a species, which may be named by its epithet alone ("s__coli");
 *         any other taxon itself.  A species has the prefix "s__", or is five ranks below
 *         a phylum and begins with a small letter.
 */
int32_t taxon_labels_genus(const taxonomy_t *t, int32_t taxon);

/*
 * Label runs of neighbouring sequences of one taxon.
 *
 * A run of the lowest rank from genera upwards is labelled if it has min_run sequences;
 * then one of the next higher rank, if no label is within it; and so on up to the phyla.
 *
 * @param taxa   [sequences] -1: without a lineage
 * @param order  [n] the sequences, as taxon_order_sort leaves them
 * @param out    release with taxon_labels_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_labels_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, int64_t min_run, taxon_labels_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void taxon_labels_free(taxon_labels_t *l);

#endif
