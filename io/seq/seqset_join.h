/*
 * seqset_join.h - queries, their reverse complements and references in one set, so that
 * pairs are identified by indices into a single set.
 */
#ifndef RIBOGRID_IO_SEQ_SEQSET_JOIN_H
#define RIBOGRID_IO_SEQ_SEQSET_JOIN_H

#include "io/seq/seqset.h"

#include <stdbool.h>

/*
 * Concatenate the queries, with both_strands their reverse complements, and the
 * references.
 *
 * Query i has index i and its reverse complement queries->n + i; references follow.
 * Reverse complements have empty names.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_join(const seqset_t *queries, bool both_strands,
                     const seqset_t *references, seqset_t **out) MUST_CHECK;

#endif
