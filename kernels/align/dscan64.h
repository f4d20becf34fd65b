/*
 * dscan64.h - the CUDA row for what dscan does not take: matrices, long sequences, scores
 * that need wide keys.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_DSCAN64_H
#define RIBOGRID_KERNELS_ALIGN_DSCAN64_H

#include "kernels/align/aligner.h"

extern const aligner_backend_t dscan64_backend;

#endif
