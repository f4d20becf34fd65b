/*
 * tiled_launch.cuh - the arguments of the kernels of tiled-dscan.
 *
 * The matrix of a pair is swept from the front and from the back at the same time, each
 * side up to the middle row.  The best alignment is the best sum of two cells that meet
 * there, or one that ends at the last column before.  For CIGARs there is one sweep only,
 * over all rows.
 *
 * Rows are cut into strips of TILED_STRIP, and a warp sweeps a strip.  Pads in front of
 * the first row and column, whose steps are 0, make all strips and blocks complete.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"
#include "kernels/align/tiled/tiled_layout.cuh"

/* The base of a pad. */
enum { TILED_PAD = DNA_SIZE, TILED_LETTERS = TILED_PAD + 1 };

enum { TILED_BLOCK = 128, TILED_WARPS = TILED_BLOCK / TILED_WARP };

struct tiled_pair_t {
    int row_sequence, column_sequence;
    int m, n;          /* bases of rows and columns */
    int n_rows[2];     /* of the sweeps from the front and from the back */
    int index;         /* in the batch */
    bool bases_only;   /* no column is an ambiguity code */
    bool mirrored;     /* rows are the target */
    long long line[2]; /* of either side, from `words` on; SCORE2 has one line for both */
    long long codes[2];   /* likewise: column codes (code_of) */
    long long edge;       /* likewise: [m] keys of ends at the last column */
    long long directions; /* from `directions` on: its blocks, at tiled_block_at */
};

/* One sweep of a pair, or with SCORE2 both. */
struct tiled_job_t {
    int pair, side; /* side: 0 front, 1 back */
    int n_strips;
};

struct tiled_launch_t {
    tiled_layout_t layout;
    cuda_set_t set;
    const tiled_pair_t *pairs; /* [n_pairs] */
    const tiled_job_t *jobs;   /* descending in strips */
    /* [n_levels + 1] The order of all strips: level 0 is the first strip of every job,
     * level 1 the second of every job that has one, and so on.  Warps take strips in this
     * order, so the strip that a warp has to wait for has been taken before its own. */
    const int *level_start;
    int n_levels, n_pairs;
    int *next;        /* how many strips have been taken */
    const int *steps; /* layout.steps in global memory: lanes read different ones */
    unsigned long long *words;
    unsigned *directions;
    int *score, *matches, *columns; /* of the batch */
    unsigned long long *ends; /* [n_pairs] row * (n + 1) + column; NULL without CIGARs */
    fraction_t min_overlap;
    unsigned column_ops;             /* cuda_cigar_column_ops */
    long long *trace_start, *n_runs; /* of cuda_cigar_t; NULL without CIGARs */
    uint32_t *runs;
    unsigned mad_one; /* 1: see cuda_mad */
};

/* @return the columns including pads */
__host__ __device__ inline int tiled_padded(int n)
{
    return (n + TILED_CHUNK - 1) / TILED_CHUNK * TILED_CHUNK;
}

__host__ __device__ inline int tiled_strips(int n_rows)
{
    return (n_rows + TILED_STRIP - 1) / TILED_STRIP;
}

/* @return the steps of a strip: lane 31 is 31 steps behind lane 0 */
__host__ __device__ inline int tiled_steps(int n)
{
    return tiled_padded(n) / TILED_COLUMNS + TILED_WARP;
}

/* @return the words of the column codes of a sweep: 16 bits per column, including those
 *         behind the last column that the sweep prefetches */
__host__ __device__ inline int tiled_code_words(int n)
{
    constexpr int AHEAD = TILED_BEHIND + 4 * TILED_CHUNK;

    return (tiled_padded(n) + AHEAD) * static_cast<int>(sizeof(unsigned short)) /
           static_cast<int>(sizeof(unsigned long long));
}

/* @return words per column of a line */
__host__ __device__ inline int tiled_words(tiled_kind_t kind)
{
    return kind == TILED_KEY64 || kind == TILED_KEY64_STEPS ? 2 : 1;
}

/* @return where the directions of a block are; rows and columns of blocks are counted
 *         including pads */
__host__ __device__ inline long long tiled_block_at(int n, int block_row, int block)
{
    const int lane = block_row % TILED_WARP;

    return (static_cast<long long>(block_row / TILED_WARP) * tiled_steps(n) + block +
            lane) *
               TILED_WARP +
           lane;
}

/* @return the border cell behind k bases */
__host__ __device__ inline unsigned long long tiled_border(const tiled_layout_t &f,
                                                           long long k)
{
    return static_cast<unsigned long long>(f.border_first + k * f.border_step);
}

/* Count the blocks of the sweeping kernel that a device holds at the same time. */
status_t tiled_kernel_blocks(const tiled_layout_t *layout, bool traced,
                             const device_t *device, int *n_blocks);

/*
 * Enqueue a launch: prepare its pairs, sweep, and store the results.
 *
 * @param n_blocks  of the sweeping kernel
 */
status_t tiled_kernel_run(const tiled_launch_t &launch, int n_blocks,
                          cudaStream_t stream);
