/*
 * dscan.h - the CUDA row for sequences of 16S's length: a warp a pair, all pairs of a
 * batch in one launch.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_DSCAN_H
#define RIBOGRID_KERNELS_ALIGN_RSCAN_DSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t dscan_backend;

#endif
