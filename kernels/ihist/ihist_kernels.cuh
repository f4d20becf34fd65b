/*
 * ihist_kernels.cuh - integral histograms of whole frames on a GPU, by three methods.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/ihist/ihist_backend.h"
}

/* Bins that a block computes: more are computed in groups. */
enum { IHIST_GROUP_BINS = 32, IHIST_GROUP_WORDS = IHIST_GROUP_BINS / 4 };

/* What the blocks of look-back know of each other, by tiles that blocks compute. */
struct ihist_messages_t {
    unsigned *next;          /* [1] tickets; zeros before a launch, as flags are */
    int *row_flag;           /* [n] 1: the tile's counts, 2: with all left of it */
    int *column_flag;        /* [n] likewise, with all above it */
    uint32_t *row_counts;    /* [n][tile][IHIST_GROUP_WORDS] of a row, a byte per bin */
    int32_t *row_sums;       /* [n][tile][IHIST_GROUP_BINS] with all left of it */
    int32_t *column_counts;  /* [n][tile][IHIST_GROUP_BINS] of a strip of rows up to a
                              * column */
    const uint32_t *in_turn; /* [tiles of a frame] tile of a ticket: row << 16 | column */
};

/* How a frame is divided. */
struct ihist_grid_t {
    int side;         /* of the tiles that blocks compute, of which one or more are a tile
                       * of the result */
    int across, down; /* of these tiles */
    int n_groups;     /* of bins */
    int tiles, tiles_across; /* of the result: all, and those in a row */
};

ihist_grid_t ihist_grid(const ihist_shape_t &shape);

struct ihist_launch_t {
    ihist_shape_t shape;
    ihist_grid_t grid;     /* the shape's */
    const uint8_t *pixels; /* [n_frames][height][width] */
    int n_frames;
    int32_t *out;  /* [n_frames][tiles][side][side][n_bins] */
    int32_t *left; /* wf-tiled: [n_frames][rows of whole tiles][n_bins] of each row, what
                    * is left of the tiles to come */
    ihist_messages_t messages; /* look-back */
    int n_cores;               /* of the GPU */
};

/* Let kernels use as much shared memory as they need, on the current device. */
status_t ihist_kernels_prepare();

/* Begin to compute frames. @return ST_OK, ST_EDEVICE or ST_ELOST (logged) */
typedef status_t ihist_method_t(const ihist_launch_t &launch, cudaStream_t stream);

ihist_method_t ihist_look_back, ihist_wf_tiled, ihist_cw_tiledhv;
