/*
 * tiled_affine.cuh - tiled-dscan with affine gaps, priced ends, ends that count for the
 * query, or proteins: the arguments of its kernels.
 *
 * The matrix of a pair is cut into strips of AFFINE_STRIP rows, and a warp sweeps a strip
 * along anti-diagonals (affine_lane.cuh).  The last row of a strip goes through memory,
 * one line per pair.  The next strip follows as far as `progress` allows, and overwrites
 * the line behind it.  Cells are TABLE32 for scores, else TABLE64 (affine_layout.cuh).
 */
#pragma once

#include "kernels/align/affine/affine_layout.cuh"

/* Indices into the arrays of the launch. */
struct tiled_affine_pair_t {
    int row_sequence, column_sequence;
    int m, n;             /* bases of rows and columns */
    int index;            /* in the batch */
    bool mirrored;        /* rows are the target */
    int first_strip;      /* of its strips */
    long long line;       /* of its line, in columns */
    long long directions; /* of its directions */
};

/* The best end in a strip; place as in affine_traced_t. */
struct tiled_affine_end_t {
    long long best;
    int place;
};

struct tiled_affine_launch_t {
    affine_launch_t sweep; /* its rounds: set, results and what follows from the layout */
    const long long *table;           /* [AFFINE_TABLE] steps */
    const tiled_affine_pair_t *pairs; /* [n_pairs] */
    int n_pairs, n_strips;
    int *next;     /* how many strips have been taken, in the order of pairs */
    int *progress; /* [n_strips] columns of a strip's last row that are in the line */
    tiled_affine_end_t *ends;  /* [n_strips] */
    unsigned long long *lines; /* [n_columns * 2] H and F, in the widest words */
    unsigned *directions;      /* tiled_affine_at; NULL without CIGARs */
    unsigned column_ops;       /* these four: as in rscan_trace_launch_t */
    const long long *trace_start;
    long long *n_runs;
    uint32_t *runs;
};

__host__ __device__ inline int tiled_affine_strips(int64_t m)
{
    return static_cast<int>((m + AFFINE_STRIP - 1) / AFFINE_STRIP);
}

/* @return steps of a warp in a strip, in which it writes 32 words of directions */
__host__ __device__ inline long long tiled_affine_steps(long long n)
{
    return n + 31;
}

/* @return where the directions of a lane's rows are in a column, counted from 0 */
__host__ __device__ inline long long tiled_affine_at(int n, int strip, int lane,
                                                     int column)
{
    return (strip * tiled_affine_steps(n) + column + lane) * 32 + lane;
}

/* Count the blocks of the sweeping kernel that a device holds at the same time.
 * @param kind  AFFINE_TABLE32, or AFFINE_TABLE64 */
status_t tiled_affine_blocks(int kind, bool traced, const device_t *device, int *out);

/* Enqueue: sweep, store the results, and trace. */
status_t tiled_affine_run(int kind, const tiled_affine_launch_t &launch, int n_blocks,
                          cudaStream_t stream);
