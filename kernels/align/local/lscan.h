/*
 * lscan.h - the CUDA backend lscan: local alignments, one or two pairs per thread.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_LOCAL_LSCAN_H
#define RIBOGRID_KERNELS_ALIGN_LOCAL_LSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t lscan_backend;

#endif
