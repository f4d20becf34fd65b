/*
 * tantan.h - finds tandem repeats in proteins, by the model of tantan (Frith 2011,
 * Nucleic Acids Res 39:e23).
 *
 * A hidden Markov model is in the background, or in a repeat of a period of 1 to
 * TANTAN_PERIODS residues, in which a residue is like that one period before.  A residue
 * is masked if it is more likely in a repeat than not; so the first unit of a repeat
 * stays.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/seq/seqset.h"

enum { TANTAN_PERIODS = 50 };

/*
 * Replace the residues of tandem repeats by X.
 *
 * @param pool  NULL: the caller alone
 * @param set   of proteins; changed in place, also by an error
 * @param n_masked, n_sequences  out: residues, and sequences that have some
 * @return ST_OK or ST_ENOMEM
 */
status_t tantan_mask(pool_t *pool, seqset_t *set, int64_t *n_masked,
                     int64_t *n_sequences) MUST_CHECK;
