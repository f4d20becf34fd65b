/*
 * consensus.h - the consensus lineage of a query's hits.
 *
 * As in QIIME 2's consensus classifiers (Bokulich et al. 2018, Microbiome 6:90): at each
 * rank, from the highest down, the consensus has the taxon that at least a given fraction
 * of all hits share.  It ends at the first rank without such a taxon.  Hits whose
 * lineages end above a rank count as hits that do not share its taxa.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_CONSENSUS_H
#define RIBOGRID_GRAPH_SUMMARY_CONSENSUS_H

#include "io/base/fraction.h"
#include "io/seq/taxonomy.h"

/*
 * Find the consensus of hits.
 *
 * @param min   the fraction, above 1/2, so that at most one taxon reaches it
 * @param taxa  [n] the lowest taxon of each hit
 * @return the lowest taxon of the consensus; TAXONOMY_ROOT if no taxon reaches the
 * fraction or there are no hits
 */
int32_t consensus_of(const taxonomy_t *t, const fraction_t *min, const int32_t *taxa,
                     int64_t n);

/* @return the number of hits at or below a taxon */
int64_t consensus_count(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                        int32_t taxon);

#endif
