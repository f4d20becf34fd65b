/*
 * best_reference.h - maps each query of a file to its best reference at an identity.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_BEST_REFERENCE_H
#define RIBOGRID_GRAPH_CLUSTER_BEST_REFERENCE_H

#include "io/otu/otu_closed.h"

/* Check that a file has queries against references, and their pairs at an identity.
 * @return ST_OK or ST_EINPUT (logged) */
status_t best_reference_check(const pairs_file_t *file, const fraction_t *id) MUST_CHECK;

/*
 * Find the best reference at or above an identity: that of the highest identity (of local
 * alignments: score), then of most matches; ties go to the first reference.
 *
 * @param file  best_reference_check accepts it
 * @param hits  [rows] out
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged file)
 */
status_t best_reference_find(const pairs_file_t *file, const fraction_t *id,
                             otu_hit_t *hits) MUST_CHECK;

#endif
