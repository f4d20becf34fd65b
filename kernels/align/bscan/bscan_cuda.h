/*
 * bscan_cuda.h - the CUDA backend for scores of unit-cost scoring with counted ends, of
 * sequences of any length: one pair per thread, 32 cells per instruction.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_CUDA_H
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_CUDA_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t bscan_cuda_backend;

#endif
