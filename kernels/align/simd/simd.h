/*
 * simd.h - the CPU backends that align as many pairs at once as a vector has lanes.
 *
 * One pair per lane (inter-sequence vectorization, Rognes 2011); pairs of similar lengths
 * are grouped.  cell_layout.h defines what a lane holds.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t simd_backend;

/* Bit-parallel, 64 rows per lane: scores of unit costs with counted ends. */
extern const aligner_backend_t bscan_backend;

#endif
