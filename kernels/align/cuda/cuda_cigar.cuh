/*
 * cuda_cigar.cuh - CIGARs on the GPU: follows directions back, and packs the runs of a
 * batch, which alone travel.
 *
 * A row keeps 2 bits a cell, a 32-bit word a block of 4 rows and 4 columns, row r and
 * column j of it at bit 2 (4 j + r), and says where a block's word is.  Rows are what
 * nw_reference.h calls so; letters that stand in front of the first row or column are
 * never come to.
 *
 * Who fills the traced: cuda_cigar_reserve, then kernels that trace, cuda_cigar_pack, all
 * on one stream; and when these have run, cuda_cigar_fetch.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_CIGAR_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_CIGAR_CUH

#include "kernels/align/cuda/cuda_batch.cuh"

extern "C" {
#include "io/seq/cigar.h"
}

enum { CUDA_CIGAR_BLOCK = 4 /* rows, and columns, of a word */ };

enum cuda_direction_t { CUDA_LEFT, CUDA_UP, CUDA_DIAGONAL_MISMATCH, CUDA_DIAGONAL_MATCH };

/* A slot's; zeroed at first. */
struct cuda_cigar_t {
    /* what tracing fills: [n] */
    long long *trace_start; /* where a pair's room begins, in runs */
    long long *n_runs;      /* of a pair; 0 at first */
    uint32_t *runs;         /* in its room, the last first */

    cuda_buffer_t pairs, traced, packed, scan;
    long long *start;    /* [n + 1] on the device */
    int64_t *host_start; /* pinned */
    uint32_t *host_runs; /* pinned */
    int64_t n, capacity, host_capacity;
    cudaStream_t stream;
};

/*
 * Make room for a batch, m + n runs a pair.
 *
 * @param pairs      [n] on the device
 * @param n_letters  of all pairs
 */
status_t cuda_cigar_reserve(cuda_cigar_t *c, const cuda_set_t *set, const pair_t *pairs,
                            int64_t n, int64_t n_letters, cudaStream_t stream);

/* Enqueue: put the runs of all pairs one behind the other, the first first. */
status_t cuda_cigar_pack(cuda_cigar_t *c);

/* Take the runs to the host, where they stay until the next fetch; what was enqueued
 * before has run. */
status_t cuda_cigar_fetch(cuda_cigar_t *c, pair_results_t *out);

void cuda_cigar_free(cuda_cigar_t *c);

#ifdef __CUDACC__
/* @return whether a pair of m and n letters has a CIGAR: align_has_cigar */
__device__ inline bool cuda_cigar_exists(bool ends_free, fraction_t min_overlap,
                                         long long columns, int m, int n)
{
    return columns > 0 && (!ends_free || columns * min_overlap.denominator >=
                                             min_overlap.numerator * min(m, n));
}

enum { CUDA_CIGAR_PATCH = 16 /* blocks, both ways, that are looked at together */ };

/* Where a path is, and the run that it is in. */
struct cuda_path_t {
    int i, j;
    uint32_t run; /* 0: none yet */
    int n_runs;
};

/* Prepend columns of one operation. */
__device__ inline void cuda_path_put(cuda_path_t *path, uint32_t *runs, cigar_op_t op,
                                     int len)
{
    if (path->run != 0 && (path->run & 15) == static_cast<uint32_t>(op)) {
        path->run += static_cast<uint32_t>(len) << 4;
    } else if (len > 0) {
        if (path->run != 0)
            runs[path->n_runs++] = path->run;
        path->run = static_cast<uint32_t>(len) << 4 | static_cast<uint32_t>(op);
    }
}

/* Go back a step, and prepend its column. */
__device__ inline void cuda_path_step(cuda_path_t *path, uint32_t *runs,
                                      unsigned direction, cigar_op_t up, cigar_op_t left)
{
    cuda_path_put(path, runs,
                  direction == CUDA_DIAGONAL_MATCH      ? CIGAR_EQ
                  : direction == CUDA_DIAGONAL_MISMATCH ? CIGAR_X
                  : direction == CUDA_UP                ? up
                                                        : left,
                  1);
    path->i -= direction != CUDA_LEFT;
    path->j -= direction != CUDA_UP;
}

/* Follow a path through a patch; one lane does. */
__device__ inline void cuda_path_follow(cuda_path_t *path, const unsigned *patch,
                                        int in_front_i, int in_front_j, int block_i,
                                        int block_j, cigar_op_t up, cigar_op_t left,
                                        uint32_t *runs)
{
    while (path->i > 0 && path->j > 0) {
        const int row = path->i - 1 + in_front_i - block_i * CUDA_CIGAR_BLOCK;
        const int column = path->j - 1 + in_front_j - block_j * CUDA_CIGAR_BLOCK;

        if (row < 0 || column < 0)
            return;
        const unsigned block =
            patch[row / CUDA_CIGAR_BLOCK * CUDA_CIGAR_PATCH + column / CUDA_CIGAR_BLOCK];
        const unsigned direction =
            block >> (2 * (column % CUDA_CIGAR_BLOCK * CUDA_CIGAR_BLOCK +
                           row % CUDA_CIGAR_BLOCK)) &
            3;

        cuda_path_step(path, runs, direction, up, left);
    }
}

/*
 * Follow a pair's path back from its end cell, a warp.
 *
 * @param blocks    read(block_row, block) gives a word; rows_in_front, columns_in_front
 * @param i, j      the end cell, letters in
 * @param mirrored  whether rows are the target
 * @param patch     [CUDA_CIGAR_PATCH * CUDA_CIGAR_PATCH], shared
 * @param runs      [m + n] out: the last first
 * @return their number
 */
template <typename BLOCKS>
__device__ int cuda_cigar_trace(const BLOCKS &blocks, int m, int n, int i, int j,
                                bool mirrored, int lane, unsigned *patch, uint32_t *runs)
{
    const cigar_op_t up = mirrored ? CIGAR_D : CIGAR_I;
    const cigar_op_t left = mirrored ? CIGAR_I : CIGAR_D;
    cuda_path_t path = {i, j, 0, 0};

    cuda_path_put(&path, runs, up, m - i);
    cuda_path_put(&path, runs, left, n - j);
    while (i > 0 && j > 0) {
        const int block_i =
            (i - 1 + blocks.rows_in_front) / CUDA_CIGAR_BLOCK - (CUDA_CIGAR_PATCH - 1);
        const int block_j =
            (j - 1 + blocks.columns_in_front) / CUDA_CIGAR_BLOCK - (CUDA_CIGAR_PATCH - 1);

#pragma unroll
        for (int k = lane; k < CUDA_CIGAR_PATCH * CUDA_CIGAR_PATCH; k += 32) {
            const int at_i = block_i + k / CUDA_CIGAR_PATCH;
            const int at_j = block_j + k % CUDA_CIGAR_PATCH;

            patch[k] = at_i >= 0 && at_j >= 0 ? blocks.read(at_i, at_j) : 0;
        }
        __syncwarp();
        if (lane == 0)
            cuda_path_follow(&path, patch, blocks.rows_in_front, blocks.columns_in_front,
                             block_i, block_j, up, left, runs);
        __syncwarp();
        i = __shfl_sync(0xffffffffu, path.i, 0);
        j = __shfl_sync(0xffffffffu, path.j, 0);
    }
    if (lane != 0)
        return 0;
    cuda_path_put(&path, runs, up, path.i);
    cuda_path_put(&path, runs, left, path.j);
    if (path.run != 0)
        runs[path.n_runs++] = path.run;
    return path.n_runs;
}
#endif

#endif
