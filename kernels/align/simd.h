/*
 * simd.h - the CPU row that aligns as many pairs at once as a vector has lanes.
 *
 * One pair a lane (inter-sequence vectorization, Rognes 2011), pairs of like lengths
 * together; scores in 16 or 32 bits, identity as keys of nw_key.h in 64.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_H

#include "kernels/align/aligner.h"

extern const aligner_backend_t simd_backend;

#endif
