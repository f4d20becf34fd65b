/*
 * primer_sweep.h - comparisons of primers with 128 to 512 places at a time.
 *
 * For each code that a pattern has, a row of bits says which places mismatch it.  The row
 * of a pattern's base i, shifted by i places, is added to counters of which each place
 * has one, a bit in each of a few words; they start so that the first mismatch too many
 * overflows.  Most places have overflown after half of the bases, which ends the sweep.
 */
#pragma once

#include "kernels/primers/primer_backend.h"

enum { PRIMER_SWEEP_WORDS = 128 }; /* of a block, whose rows stay in the first cache */

/*
 * Compare all patterns with the places of at most PRIMER_SWEEP_WORDS words.
 *
 * @param stride  words from one row of `out` to the next
 */
typedef void (*primer_sweep_t)(const primer_context_t *c, int64_t first, int n,
                               uint64_t *out, int64_t stride);

void primer_sweep_128(const primer_context_t *c, int64_t first, int n, uint64_t *out,
                      int64_t stride);
void primer_sweep_avx2(const primer_context_t *c, int64_t first, int n, uint64_t *out,
                       int64_t stride);
void primer_sweep_avx512(const primer_context_t *c, int64_t first, int n, uint64_t *out,
                         int64_t stride);
