/*
 * simd_local.h - the CPU backend "simd-local": local alignments, one pair per lane.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_LOCAL_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_LOCAL_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t simd_local_backend;

#endif
