/*
 * tile_baseline.h - rows to measure against: a GPU aligner as textbooks have it.
 *
 * One pair at a time; its whole matrix in device memory, 32 x 32 tiles in shared memory,
 * a launch a diagonal of tiles, as in Rodinia's "nw" (Che et al. 2009).  Scores alone.
 * Only `bench align --kernel baseline` reaches these rows: aligner_backends() leaves them
 * out.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BASELINE_TILE_BASELINE_H
#define RIBOGRID_KERNELS_ALIGN_BASELINE_TILE_BASELINE_H

#include "kernels/align/common/aligner_backend.h"

/* The host writes the matrix's borders; the whole matrix travels there and back, and the
 * score is read on the host. */
extern const aligner_backend_t tile_baseline_host_backend;

/* A kernel writes the borders, and the score alone travels. */
extern const aligner_backend_t tile_baseline_device_backend;

#endif
