/*
 * seed_layout.cuh - the shared memory of blocks that filter pairs by seeds, and the
 * arguments of their kernel (seed_kernel.cu).
 */
#pragma once

#include "kernels/align/cuda/cuda_set.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

extern "C" {
#include "kernels/align/seeds/seed_filter.h"
#include "kernels/align/seeds/seed_gpu.h"
}

/* Letters whose scores are equal are one class.  The set on the device has classes in
 * place of letters; 0 is none. */
struct seed_classes_t {
    unsigned char of[ALPHABET_SIZE]; /* letter */
    int n;
};

constexpr int SEED_WARP = 32, SEED_WARPS_MAX = 32;

/* Residues of the longest query and target. */
constexpr int SEED_QUERY_MAX = 16000, SEED_TARGET_MAX = 65000;

/* Places per residue of a query for which a block has room in device memory. */
constexpr int SEED_RESIDUE_PLACES = 256;

/* Cells of a row at most: a query with as many targets as this allows. */
constexpr double SEED_ROW_CELLS = 1e9;

struct seed_launch_t {
    cuda_set_t set;
    const seed_row_t *rows; /* [n_rows] */
    int n_rows;
    int *next;                 /* how many rows have been taken */
    const signed char *scores; /* [ALPHABET_SIZE][ALPHABET_SIZE] by class */
    int n_classes;
    int ring_size;          /* of a warp, for the longest query */
    int near_places;        /* for which there is shared memory */
    int max_places;         /* for which each block has device memory */
    unsigned short *places; /* [blocks][max_places] */
    unsigned char *out;
};

/* @return words of three classes */
CUDA_BOTH constexpr int seed_words(int n_classes)
{
    return n_classes * n_classes * n_classes;
}

/* @return places in the ring of a query's diagonals: they differ by less than its length,
 *         and a diagonal that comes to the place of another is a window behind it
 * @param m  residues of the query */
CUDA_BOTH inline int seed_ring_size(int m)
{
    int size = 256;

    while (size < m + SEED_WINDOW + SEED_WARP)
        size *= 2;
    return size;
}

/* Places for which a warp has shared memory, at least. */
constexpr int SEED_RING_MIN = 2048;

/* @return places for which a warp of a launch has shared memory
 * @param m  residues of the longest query */
inline int seed_ring_places(int m)
{
    const int size = seed_ring_size(m);

    return size < SEED_RING_MIN ? SEED_RING_MIN : size;
}

/* @return bytes of shared memory that do not depend on the number of warps
 * @param m  residues of the longest query */
inline size_t seed_table_bytes(int n_classes, int m)
{
    return static_cast<size_t>(seed_words(n_classes) + 2) * sizeof(int) +
           static_cast<size_t>(m + 15) / 16 * 16;
}

/* Get the shared memory that a block may have. */
status_t seed_kernel_prepare(const device_t *device, int *max_bytes);

/* Enqueue the kernel. @param bytes  of dynamic shared memory */
status_t seed_kernel_run(const seed_launch_t &launch, int n_blocks, int n_warps,
                         size_t bytes, cudaStream_t stream);
