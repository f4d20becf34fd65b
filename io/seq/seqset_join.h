/*
 * seqset_join.h - queries, their reverse complements and references as one set, so that
 * an aligner needs to know of indices alone.
 */
#ifndef RIBOGRID_IO_SEQ_SEQSET_JOIN_H
#define RIBOGRID_IO_SEQ_SEQSET_JOIN_H

#include "io/seq/seqset.h"

#include <stdbool.h>

/*
 * Join two sets: query i is i, its reverse complement queries->n + i where both strands
 * are wanted, reference j stands behind them all.
 *
 * Reverse complements have no names.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_join(const seqset_t *queries, bool both_strands,
                     const seqset_t *references, seqset_t **out) MUST_CHECK;

#endif
