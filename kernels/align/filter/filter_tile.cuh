/*
 * filter_tile.cuh - the tiles of pairs that thread blocks decide: what a block gets, and
 * where its tile lies.
 *
 * Two kernels decide tiles, with equal results: filter_mma.cu by products of matrices of
 * bits, and filter_words.cu word by word. A pair that passes is a bit in the bits of its
 * rectangle's row.
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/filter/filter_backend.h"
}

/* The compute capability from which on there are products of bits that AND them. This is
 * the only place that says so; docs/decisions/filter-on-turing.md has the reasons. */
#define FILTER_MMA_CAPABILITY 80
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= FILTER_MMA_CAPABILITY * 10
#define FILTER_HAS_MMA
#endif

/* A rectangle of a batch. */
struct filter_tile_rect_t {
    filter_rect_t at;
    long long tile_start, row_start; /* tiles and rows of all rectangles before it */
    long long word_start;            /* where its bits begin */
    int words;                       /* per row: one bit per column */
    int tiles_across;
};

struct filter_tile_launch_t {
    const filter_seq_t *seqs;
    const unsigned *whole; /* [n][words] */
    const unsigned *ends;  /* [n][2][FILTER_BINS][end_words] */
    int words, end_words;
    bool free_ends, triangle;
    const filter_tile_rect_t *rects;
    int n_rects;
    unsigned *bits;
    unsigned long long *n_by_verdict; /* [FILTER_PASSED + 1] pairs */
};

/* @return the last rectangle whose START is not above `at`; they ascend */
template <long long filter_tile_rect_t::*START>
static __device__ int filter_tile_rect_of(const filter_tile_rect_t *rects, int n,
                                          long long at)
{
    int low = 0, high = n - 1;

    while (low < high) {
        const int middle = low + (high - low + 1) / 2;

        if (rects[middle].*START <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The place of a tile in the matrix of pairs. */
struct filter_tile_place_t {
    long long row0, col0;
    int n_rows, n_cols;
};

/* @return the place of tile number `tile` of a rectangle; tiles have ROWS x COLS pairs */
template <int ROWS, int COLS>
static __device__ filter_tile_place_t filter_tile_place(const filter_tile_rect_t &r,
                                                        long long tile)
{
    filter_tile_place_t t;

    t.row0 = r.at.row0 + tile / r.tiles_across * ROWS;
    t.col0 = r.at.col0 + tile % r.tiles_across * COLS;
    t.n_rows = static_cast<int>(min(static_cast<long long>(ROWS), r.at.row1 - t.row0));
    t.n_cols = static_cast<int>(min(static_cast<long long>(COLS), r.at.col1 - t.col0));
    return t;
}

/* @return whether a place of the tile holds a pair of the batch */
static __device__ bool filter_tile_holds(const filter_tile_launch_t &p,
                                         const filter_tile_place_t &t, int row, int col)
{
    return row < t.n_rows && col < t.n_cols &&
           (!p.triangle || t.row0 + row < t.col0 + col);
}

/* @return whether a tile holds any pair of the batch */
static __device__ bool filter_tile_some(const filter_tile_launch_t &p,
                                        const filter_tile_place_t &t)
{
    return !p.triangle || t.row0 < t.col0 + t.n_cols - 1;
}

/* Add a block's counts, which are in shared memory, to those of the batch. */
static __device__ void filter_tile_count(const filter_tile_launch_t &p,
                                         const int *n_by_verdict)
{
    if (threadIdx.x <= FILTER_PASSED && n_by_verdict[threadIdx.x] > 0)
        atomicAdd(&p.n_by_verdict[threadIdx.x],
                  static_cast<unsigned long long>(n_by_verdict[threadIdx.x]));
}

/* A kernel that decides tiles. */
typedef struct {
    int rows, cols; /* pairs of a tile */
    int step;       /* the words of a vector have to be a multiple of this */
    status_t (*launch)(const filter_tile_launch_t &launch, unsigned n_tiles,
                       cudaStream_t stream);
} filter_kernel_t;

extern const filter_kernel_t filter_words_kernel;
extern const filter_kernel_t filter_mma_kernel;

/* Prepare filter_mma on the current device.
 *
 * @param runs  out: whether the code that was built for this device has products of bits
 * @return ST_OK or ST_EDEVICE */
status_t filter_mma_prepare(bool *runs) MUST_CHECK;
