/*
 * tiled_dscan_cuda.h - the CUDA row for long sequences: one pair fills a device.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_DSCAN_CUDA_H
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_DSCAN_CUDA_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t tiled_dscan_backend;

#endif
