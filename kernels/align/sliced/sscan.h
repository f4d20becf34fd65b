/*
 * sscan.h - the CUDA backend sscan: scores with affine gaps, 32 pairs per thread.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SLICED_SSCAN_H
#define RIBOGRID_KERNELS_ALIGN_SLICED_SSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t sscan_backend;

#endif
