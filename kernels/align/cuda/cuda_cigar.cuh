/*
 * cuda_cigar.cuh - CIGARs on the GPU: follow directions back from the end of an
 * alignment, and pack the runs of a batch so that only they are copied to the host.
 *
 * Directions.  A backend keeps 2 bits per cell, a cuda_direction_t.  cuda_cigar_trace
 * reads them in blocks of 4 rows and 4 columns, one 32-bit word each: row r and column j
 * of a block are at bit 2 (4 j + r).  Rows and columns are those of nw_reference.h, but
 * counted with the pads in front of the first base, which a path never enters.
 *
 * Operations.  A word has the operation of each direction, 4 bits each: those of columns
 * of two bases are the same for all pairs, the others depend on what the rows are.
 *
 * Order of calls, for one batch on one stream: cuda_cigar_reserve; the kernels that
 * trace; cuda_cigar_pack; and once these have run, cuda_cigar_fetch.
 */
#pragma once

#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/align/cuda/cuda_set.cuh"

enum { CUDA_CIGAR_BLOCK = 4 /* rows, and columns, of a word of directions */ };

/* The last step of a cell's path: it consumes a base of the column, of the row, or both.
 */
enum cuda_direction_t { CUDA_LEFT, CUDA_UP, CUDA_DIAGONAL_MISMATCH, CUDA_DIAGONAL_MATCH };

/* @return a word with the operation of one direction */
__host__ __device__ inline unsigned cuda_cigar_op(cuda_direction_t direction,
                                                  cigar_op_t op)
{
    return static_cast<unsigned>(op) << (4 * direction);
}

/* @return the operations of columns of two bases */
inline unsigned cuda_cigar_column_ops(const align_spec_t *spec)
{
    return cuda_cigar_op(CUDA_DIAGONAL_MISMATCH, align_column_op(spec, false)) |
           cuda_cigar_op(CUDA_DIAGONAL_MATCH, align_column_op(spec, true));
}

/*
 * Rank the sequences of a set in the order of nw_reference_query_is_rows, by which the
 * rows of a pair come first; equal ones have equal ranks.
 *
 * @param out  [set->n] on the device; free it with cudaFree
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t cuda_rank_create(const seqset_t *set, int **out) MUST_CHECK;

/* The CIGARs of one slot.  Zero-initialise it before the first use. */
struct cuda_cigar_t {
    /* Output of the kernels that trace: [n] */
    long long *trace_start; /* where a pair's runs begin in `runs` */
    long long *n_runs;      /* how many runs it has; 0 at first */
    uint32_t *runs;         /* its last run first */

    cuda_buffer_t arrays, traced, packed, scan;
    cuda_pinned_t host_start;
    long long *packed_start; /* [n + 1] */
    int64_t n;
    cudaStream_t stream;
};

/*
 * Reserve memory for a batch, and enqueue its preparation.  A pair of m and n bases gets
 * space for m + n runs.
 *
 * @param pairs    [n] on the device
 * @param n_bases  of all pairs together
 */
status_t cuda_cigar_reserve(cuda_cigar_t *c, const cuda_set_t *set, const pair_t *pairs,
                            int64_t n, int64_t n_bases, cudaStream_t stream);

/* Enqueue: concatenate the runs of all pairs, each pair's first run first. */
status_t cuda_cigar_pack(cuda_cigar_t *c);

/*
 * Copy the runs to the host.  Everything that was enqueued before must have run.
 *
 * @param host_runs  memory for them; slots may share it
 */
status_t cuda_cigar_fetch(cuda_cigar_t *c, cuda_pinned_t *host_runs, pair_results_t *out);

/* Free the memory; a zeroed cuda_cigar_t is allowed. */
void cuda_cigar_free(cuda_cigar_t *c);

#ifdef __CUDACC__
/* @return whether a pair of m and n bases has a CIGAR: align_has_cigar on the device */
__device__ inline bool cuda_cigar_exists(bool ends_free, fraction_t min_overlap,
                                         long long columns, int m, int n)
{
    return columns > 0 && (!ends_free || columns * min_overlap.denominator >=
                                             min_overlap.numerator * min(m, n));
}

enum { CUDA_CIGAR_PATCH = 16 /* a warp reads 16 x 16 blocks of directions at a time */ };

/* A path that is followed backwards: its cell, and the run that it is in. */
struct cuda_path_t {
    int i, j;
    uint32_t run; /* 0: none yet */
    int n_runs;
};

/* @return the operations of all directions of a pair
 * @param mirrored  whether the rows are the target */
__host__ __device__ inline unsigned cuda_path_ops(unsigned column_ops, bool mirrored)
{
    return column_ops | cuda_cigar_op(CUDA_UP, mirrored ? CIGAR_D : CIGAR_I) |
           cuda_cigar_op(CUDA_LEFT, mirrored ? CIGAR_I : CIGAR_D);
}

/* Prepend len columns of the operation of a direction. */
__host__ __device__ inline void cuda_path_put(cuda_path_t *path, uint32_t *runs,
                                              unsigned ops, unsigned direction, int len)
{
    const uint32_t op = ops >> (4 * direction) & 15;

    if (path->run != 0 && (path->run & 15) == op) {
        path->run += static_cast<uint32_t>(len) << 4;
    } else if (len > 0) {
        if (path->run != 0)
            runs[path->n_runs++] = path->run;
        path->run = static_cast<uint32_t>(len) << 4 | op;
    }
}

/* Go back one step, and prepend its column. */
__device__ inline void cuda_path_step(cuda_path_t *path, uint32_t *runs, unsigned ops,
                                      unsigned direction)
{
    cuda_path_put(path, runs, ops, direction, 1);
    path->i -= direction != CUDA_LEFT;
    path->j -= direction != CUDA_UP;
}

/* Follow a path until it leaves the patch; called by one lane. */
__device__ inline void cuda_path_follow(cuda_path_t *path, const unsigned *patch,
                                        int row_pads, int column_pads, int block_i,
                                        int block_j, unsigned ops, uint32_t *runs)
{
    while (path->i > 0 && path->j > 0) {
        const int row = path->i - 1 + row_pads - block_i * CUDA_CIGAR_BLOCK;
        const int column = path->j - 1 + column_pads - block_j * CUDA_CIGAR_BLOCK;

        if (row < 0 || column < 0)
            return;
        const unsigned block =
            patch[row / CUDA_CIGAR_BLOCK * CUDA_CIGAR_PATCH + column / CUDA_CIGAR_BLOCK];
        const unsigned direction =
            block >> (2 * (column % CUDA_CIGAR_BLOCK * CUDA_CIGAR_BLOCK +
                           row % CUDA_CIGAR_BLOCK)) &
            3;

        cuda_path_step(path, runs, ops, direction);
    }
}

/*
 * Trace a pair; called by all lanes of a warp.  All lanes load a patch of directions, and
 * lane 0 follows the path through it.
 *
 * @param blocks    its read(block_row, block_column) returns a word of directions;
 *                  row_pads and column_pads: pads in front of the first row and column
 * @param i, j      the end cell, in bases
 * @param ops       cuda_path_ops
 * @param patch     [CUDA_CIGAR_PATCH * CUDA_CIGAR_PATCH] shared memory
 * @param runs      [m + n] out: the last run first
 * @return the number of runs, in lane 0
 */
template <typename BLOCKS>
__device__ int cuda_cigar_trace(const BLOCKS &blocks, int m, int n, int i, int j,
                                unsigned ops, int lane, unsigned *patch, uint32_t *runs)
{
    cuda_path_t path = {i, j, 0, 0};

    cuda_path_put(&path, runs, ops, CUDA_UP, m - i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, n - j);
    while (i > 0 && j > 0) {
        const int block_i =
            (i - 1 + blocks.row_pads) / CUDA_CIGAR_BLOCK - (CUDA_CIGAR_PATCH - 1);
        const int block_j =
            (j - 1 + blocks.column_pads) / CUDA_CIGAR_BLOCK - (CUDA_CIGAR_PATCH - 1);

#pragma unroll
        for (int k = lane; k < CUDA_CIGAR_PATCH * CUDA_CIGAR_PATCH; k += 32) {
            const int at_i = block_i + k / CUDA_CIGAR_PATCH;
            const int at_j = block_j + k % CUDA_CIGAR_PATCH;

            patch[k] = at_i >= 0 && at_j >= 0 ? blocks.read(at_i, at_j) : 0;
        }
        __syncwarp();
        if (lane == 0)
            cuda_path_follow(&path, patch, blocks.row_pads, blocks.column_pads, block_i,
                             block_j, ops, runs);
        __syncwarp();
        i = __shfl_sync(0xffffffffu, path.i, 0);
        j = __shfl_sync(0xffffffffu, path.j, 0);
    }
    if (lane != 0)
        return 0;
    cuda_path_put(&path, runs, ops, CUDA_UP, path.i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, path.j);
    if (path.run != 0)
        runs[path.n_runs++] = path.run;
    return path.n_runs;
}
#endif
