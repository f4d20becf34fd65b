/*
 * tile_baseline.h - backends to measure against: a textbook GPU aligner.
 *
 * One pair at a time, with its whole matrix in device memory, tiles of 32 x 32 cells in
 * shared memory, and one launch per diagonal of tiles, as in Rodinia's "nw" (Che et al.
 * 2009).  Scores only.  `ribogrid-bench align --kernel baseline` uses these backends;
 * they are not in the backend table.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"

/* The host writes the borders and reads the score; the whole matrix is copied to the
 * device and back. */
extern const aligner_backend_t tile_baseline_host_backend;

/* A kernel writes the borders, and only the score is copied. */
extern const aligner_backend_t tile_baseline_device_backend;
