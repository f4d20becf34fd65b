/*
 * cuda_grouping.cuh - divides the pairs of a batch into groups that one warp aligns
 * together: up to 32 pairs that have the same query and cost about the same.
 *
 * The caller writes a key and an index for every pair and calls cuda_grouping_build; then
 * it launches one kernel per class of pairs.  The blocks of that kernel, one warp each,
 * take groups from the queue until their class has none left (cuda_grouping_take).
 * Everything runs on the device, and the host never waits.
 */
#pragma once

#include "kernels/align/cuda/cuda_buffer.cuh"

/* A class is a kernel, numbered by ascending cost.  A group belongs to the class of its
 * costliest pair. */
enum {
    CUDA_GROUPING_CLASS_BITS = 6,
    CUDA_GROUPING_CLASSES = 1 << CUDA_GROUPING_CLASS_BITS
};
enum { CUDA_GROUPING_LENGTH_BITS = 14, CUDA_GROUPING_LENGTH_STEP = 4 };
enum { CUDA_GROUPING_QUERY_SHIFT = CUDA_GROUPING_CLASS_BITS + CUDA_GROUPING_LENGTH_BITS };

/* Pairs that can be grouped at a time. */
constexpr int64_t CUDA_GROUPING_PAIRS_MAX = 1 << 26;

/* The key of a pair that is to be left out: it sorts last and enters no group. */
constexpr unsigned long long CUDA_GROUPING_NO_KEY = ~0ull;

/* Pairs order[first .. first + count - 1] of a queue. */
struct cuda_pair_group_t {
    int first, count;
};

/* The groups of a batch, as kernels take them. */
struct cuda_grouping_queue_t {
    const int *order;                /* [n] the pairs' indices, sorted by query */
    const cuda_pair_group_t *groups; /* by class, and the longest first in each class */
    const int *class_start;          /* [CUDA_GROUPING_CLASSES + 1] into groups */
    int *next; /* [CUDA_GROUPING_CLASSES] how many groups of a class have been taken */
};

/* Zero-initialise it before the first use. */
struct cuda_grouping_t {
    cuda_buffer_t buffer;
    int64_t capacity;
    int n_sequences;

    /* Input, written by the caller: [n] */
    unsigned long long *keys; /* of cuda_grouping_key, or CUDA_GROUPING_NO_KEY */
    int *indices;             /* the caller's number of each pair */

    cuda_grouping_queue_t queue; /* output of cuda_grouping_build */

    /* Arrays inside the buffer. */
    unsigned long long *key_arrays[2]; /* sorting goes back and forth between two */
    int *index_arrays[2], *query_ends, *bins, *class_start;
    cuda_pair_group_t *groups;
    char *sorting;
    size_t sorting_bytes;
};

/* @return the key of a pair: its query, its class and the bases that it has to process */
__host__ __device__ inline unsigned long long cuda_grouping_key(int query,
                                                                int group_class,
                                                                int n_bases)
{
    const int max_length = (1 << CUDA_GROUPING_LENGTH_BITS) - 1;
    const int length = n_bases / CUDA_GROUPING_LENGTH_STEP < max_length
                           ? n_bases / CUDA_GROUPING_LENGTH_STEP
                           : max_length;

    return static_cast<unsigned long long>(query) << CUDA_GROUPING_QUERY_SHIFT |
           static_cast<unsigned>(group_class << CUDA_GROUPING_LENGTH_BITS | length);
}

/* @return the pairs of a batch of n to group at a time, at least 1, so that the grouping
 *         takes at most `bytes` of device memory where that is possible */
int64_t cuda_grouping_piece(int64_t n, int64_t bytes);

/* Reserve memory for n <= CUDA_GROUPING_PAIRS_MAX pairs of a set. */
status_t cuda_grouping_reserve(cuda_grouping_t *g, int64_t n, int n_sequences);

/*
 * Enqueue: build the groups of n keys.
 *
 * `keys` and `indices` point to other arrays afterwards.  The kernels that read the queue
 * may write them for the next build.
 */
status_t cuda_grouping_build(cuda_grouping_t *g, int64_t n, cudaStream_t stream);

/* Free the memory; the grouping can be reserved again. */
void cuda_grouping_free(cuda_grouping_t *g);

#ifdef __CUDACC__
/*
 * Take the next group of a class; called by all threads of a block of one warp.
 *
 * @return false if there is none left
 */
__device__ inline bool cuda_grouping_take(const cuda_grouping_queue_t &queue,
                                          int group_class, cuda_pair_group_t *group)
{
    int k = threadIdx.x == 0 ? atomicAdd(&queue.next[group_class], 1) : 0;

    k = __shfl_sync(0xffffffffu, k, 0) + queue.class_start[group_class];
    if (k >= queue.class_start[group_class + 1])
        return false;
    *group = queue.groups[k];
    return true;
}
#endif
