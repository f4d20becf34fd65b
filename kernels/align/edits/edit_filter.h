/*
 * edit_filter.h - rules out pairs that have too many edits to reach an identity, 32 or 64
 * cells an operation.
 *
 * The bound is that of edit_filter_bound.h: all cells of a pair's matrix are swept for
 * the edit distances F of its ends, bit-parallel, which costs a tenth to a quarter of
 * what an alignment does. It comes after pair_filter.h, which is cheaper still, and rules
 * out much where that does not: below 95 %.  One interface, a row a kind of device; all
 * rows pass the same pairs, but that a row may keep those that it cannot look at.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_H

#include "kernels/align/common/aligner_backend.h"

typedef struct edit_filter edit_filter_t;

/*
 * Get ready for a set.
 *
 * @param part  c as a decimal, 0 < numerator <= denominator
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_EUSAGE (c is no such part)
 */
status_t edit_filter_create(const align_context_t *context, fraction_t part,
                            edit_filter_t **out) MUST_CHECK;

/*
 * Look at pairs.
 *
 * @param keep  [batch->n] out: 0 where a pair cannot reach the identity
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t edit_filter_run(edit_filter_t *edits, const pair_batch_t *batch,
                         uint8_t *keep) MUST_CHECK;

/* Takes NULL. */
void edit_filter_destroy(edit_filter_t *edits);

#endif
