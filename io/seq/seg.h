/*
 * seg.h - finds regions of low complexity in proteins, by the method SEG (Wootton and
 * Federhen 1993, Comput Chem 17:149), with the parameters of blastp.
 *
 * A window of 12 residues with an entropy of at most 2.2 bits begins a region, which
 * grows while windows have at most 2.5; of the region, the part is low in complexity that
 * is least likely among random sequences.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/seq/seqset.h"

/*
 * Replace the residues of regions of low complexity by X.
 *
 * @param pool  NULL: the caller alone
 * @param set   of proteins; changed in place, also by an error
 * @param n_masked, n_sequences  out: residues, and sequences that have some
 * @return ST_OK or ST_ENOMEM
 */
status_t seg_mask(pool_t *pool, seqset_t *set, int64_t *n_masked,
                  int64_t *n_sequences) MUST_CHECK;
