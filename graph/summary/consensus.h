/*
 * consensus.h - the lineage that a query's hits agree on.
 *
 * As QIIME 2's consensus classifiers have it (Bokulich et al. 2018, Microbiome 6:90): at
 * each rank, from the highest down, the name that at least a given part of all hits
 * share, together with the names above it; the first rank without such a name ends the
 * lineage.  Lineages of different numbers of ranks: one that has ended shares no name
 * further down.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_CONSENSUS_H
#define RIBOGRID_GRAPH_SUMMARY_CONSENSUS_H

#include "io/base/fraction.h"
#include "io/seq/taxonomy.h"

/*
 * Find the consensus of hits.
 *
 * @param least  a part above 1/2, so that one name at most reaches it
 * @param taxa   [n] the hits' lowest taxa
 * @return the consensus's lowest taxon; TAXONOMY_ROOT where no name reaches the part, and
 *         without hits
 */
int32_t consensus_of(const taxonomy_t *t, const fraction_t *least, const int32_t *taxa,
                     int64_t n);

/* @return how many of the hits stand at or below the taxon */
int64_t consensus_count(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                        int32_t taxon);

#endif
