/*
 * edit_filter.h - rules out pairs that have too many edits to reach a minimum identity.
 *
 * A bit-parallel sweep of a pair's matrix yields the edit distances F of its ends, which
 * are compared with the bound of edit_filter_bound.h.  That costs a tenth to a quarter of
 * the alignment.  The filter of pair_filter.h is cheaper and comes before; this one rules
 * out many of the pairs that it passes, above all below 95 %.
 *
 * There is one backend per kind of device.  A backend passes the pairs that it cannot
 * test; otherwise all backends pass the same pairs.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"

typedef struct edit_filter edit_filter_t;

/*
 * Make a filter for a set.
 *
 * @param identity  the minimum: 0 < numerator <= denominator
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_EUSAGE (the identity is not above 0 and at
 *         most 1; there is no proof for this kind of alignment)
 */
status_t edit_filter_create(const align_context_t *context, fraction_t identity,
                            edit_filter_t **out) MUST_CHECK;

/*
 * Test the pairs of a batch.
 *
 * @param keep  [batch->n] out: 0 for pairs that cannot reach the identity, else 1
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t edit_filter_run(edit_filter_t *filter, const pair_batch_t *batch,
                         uint8_t *keep) MUST_CHECK;

/* Takes NULL. */
void edit_filter_destroy(edit_filter_t *filter);
