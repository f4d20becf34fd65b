/*
 * rscan.h - the CUDA backends rscan: one pair per thread, for sequences of the length of
 * a 16S gene; and dscan: one pair per warp, for batches of few pairs or of sequences too
 * long for rscan.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ROUNDS_RSCAN_H
#define RIBOGRID_KERNELS_ALIGN_ROUNDS_RSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t rscan_backend;
extern const aligner_backend_t dscan_backend;

#endif
