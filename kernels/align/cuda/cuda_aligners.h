/*
 * cuda_aligners.h - the CUDA backends of the table of aligners.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"

/* Scores of unit costs, bit-parallel. */
extern const aligner_backend_t bscan_cuda_backend;
/* Scores with affine gaps, bit-sliced: 32 pairs per thread. */
extern const aligner_backend_t sscan_backend;
/* One pair per thread, for sequences of the length of a 16S gene: linear gaps. */
extern const aligner_backend_t rscan_backend;
/* The same for affine gaps and priced ends. */
extern const aligner_backend_t ascan_backend;
/* One pair per warp, for batches of few pairs or of sequences too long for rscan. */
extern const aligner_backend_t dscan_backend;
/* Tiles over the matrix of a pair, for sequences of any length. */
extern const aligner_backend_t tiled_dscan_backend;
/* Local scores of proteins, several threads per pair. */
extern const aligner_backend_t pscan_backend;
/* Local alignments. */
extern const aligner_backend_t lscan_backend;
/* Local alignments of sequences too long for lscan. */
extern const aligner_backend_t wavefront_backend;
