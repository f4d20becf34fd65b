/*
 * filter_tile.cuh - the tiles of pairs that a GPU's blocks judge.
 *
 * What a block is told, and where its tile lies.  Two kernels judge tiles alike:
 * filter_mma.cu by products of matrices of bits, filter_words.cu word by word, for
 * devices that have no such products.  What passes is a bit of the rectangle's row.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_TILE_CUH
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_TILE_CUH

#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/filter/filter_backend.h"
}

/* A rectangle of a batch. */
struct filter_tile_rect_t {
    filter_rect_t at;
    long long tile_start, row_start; /* of all before it */
    long long word_start;            /* of its bits */
    int words;                       /* of a row: a bit a column */
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
    unsigned long long *n_by_verdict; /* [FILTER_PASSED + 1] pairs of each */
};

/* @return the last of the ascending starts, [n], that is not above `at` */
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

/* Where a tile lies. */
struct filter_tile_place_t {
    long long row0, col0;
    int n_rows, n_cols;
};

/* The tile-th of a rectangle's tiles of ROWS x COLS pairs. */
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

/* Whether a place of the tile holds a pair that counts. */
static __device__ bool filter_tile_holds(const filter_tile_launch_t &p,
                                         const filter_tile_place_t &t, int row, int col)
{
    return row < t.n_rows && col < t.n_cols &&
           (!p.triangle || t.row0 + row < t.col0 + col);
}

/* Whether a tile holds any such pair. */
static __device__ bool filter_tile_some(const filter_tile_launch_t &p,
                                        const filter_tile_place_t &t)
{
    return !p.triangle || t.row0 < t.col0 + t.n_cols - 1;
}

/* Add what a block counted, in shared memory, to all others'. */
static __device__ void filter_tile_count(const filter_tile_launch_t &p,
                                         const int *n_by_verdict)
{
    if (threadIdx.x <= FILTER_PASSED && n_by_verdict[threadIdx.x] > 0)
        atomicAdd(&p.n_by_verdict[threadIdx.x],
                  static_cast<unsigned long long>(n_by_verdict[threadIdx.x]));
}

/* A kernel that judges tiles. */
typedef struct {
    int rows, cols; /* of a tile */
    int step;       /* words that vectors' lengths are multiples of */
    status_t (*launch)(const filter_tile_launch_t &launch, unsigned n_tiles,
                       cudaStream_t stream);
} filter_kernel_t;

extern const filter_kernel_t filter_words_kernel;
extern const filter_kernel_t filter_mma_kernel;

/* Make the products of bits ready on the current device.
 * @param runs  out: whether it, and what was built for it, has them
 * @return ST_OK or ST_EDEVICE */
status_t filter_mma_prepare(bool *runs) MUST_CHECK;

#endif
