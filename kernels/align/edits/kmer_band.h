/*
 * kmer_band.h - how many k-mers two sequences must share on neighbouring diagonals, so
 * that an alignment there can reach a minimum identity.
 *
 * Free ends only.  docs/filters.md ("Bands") has the proof.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_KMER_BAND_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_KMER_BAND_H

#include "kernels/align/edits/edit_filter_bound.h"

/* Bases of a k-mer.  16S genes share 8-mers by chance less often than 6-mers, but an
 * edit destroys more of them. */
enum { KMER_BAND_K = 6 };

/*
 * Compute the k-mers that a pair without ambiguity codes must share.
 *
 * @param needed  [bound->n] out: by k, the minimum over all ends (i, j) with
 *                min(i, j) >= k; 0: none need be shared.  Each code costs KMER_BAND_K
 * @return whether some element is above 0
 */
bool kmer_band_needed(const edit_filter_bound_t *bound, int32_t *needed);

#endif
