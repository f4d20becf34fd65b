/*
 * dscan.h - the CUDA backend dscan: one pair per warp, for batches of few pairs or of
 * sequences too long for rscan.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_DSCAN_H
#define RIBOGRID_KERNELS_ALIGN_RSCAN_DSCAN_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t dscan_backend;

#endif
