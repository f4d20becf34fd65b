/*
 * simd_spread.h - interleaves the sequences of a group, so that a vector holds one
 * position of all lanes.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_SPREAD_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_SPREAD_H

#include "io/seq/alphabet.h"

#include <stdint.h>

/* The sequence of a lane. */
typedef struct {
    const uint8_t *letters; /* [len] codes */
    int64_t len;
} simd_spread_lane_t;

/*
 * Translate and interleave the sequences of n lanes.
 *
 * @param table  [DNA_SIZE] what becomes of each code; NULL: codes are kept
 * @param pad    follows the ends of sequences, and fills the lanes without one
 * @param out    [n_positions][lanes]
 */
void simd_spread(const simd_spread_lane_t *in, int n, int lanes, const uint8_t *table,
                 uint8_t pad, int64_t n_positions, uint8_t *out);

#endif
