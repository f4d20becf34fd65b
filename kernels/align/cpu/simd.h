/*
 * simd.h - the CPU row that aligns as many pairs at once as a vector has lanes.
 *
 * One pair a lane (inter-sequence vectorization, Rognes 2011), pairs of like lengths
 * together.  What a lane holds: cell_layout.h.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_SIMD_H
#define RIBOGRID_KERNELS_ALIGN_CPU_SIMD_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t simd_backend;

/* The same for scores of unit costs with counted ends, bit-parallel: 64 rows a lane. */
extern const aligner_backend_t bscan_backend;

#endif
