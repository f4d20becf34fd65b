/*
 * rscan.h - the CUDA backend rscan: one pair per thread, for sequences of the length of a
 * 16S gene.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_H
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t rscan_backend;

#endif
