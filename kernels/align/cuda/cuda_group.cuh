/*
 * cuda_group.cuh - puts the pairs of a batch into units for warps, on the device: up to
 * 32 pairs of one query and alike in cost.  Nothing waits for the host.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_GROUP_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_GROUP_CUH

#include "kernels/align/cuda/cuda_batch.cuh"

/* A unit is of the class of its dearest pair: classes are ascending in cost. */
enum { CUDA_GROUP_CLASS_BITS = 6, CUDA_GROUP_CLASSES = 1 << CUDA_GROUP_CLASS_BITS };
enum { CUDA_GROUP_LENGTH_BITS = 14, CUDA_GROUP_LENGTH_STEP = 4 };
enum { CUDA_GROUP_QUERY_SHIFT = CUDA_GROUP_CLASS_BITS + CUDA_GROUP_LENGTH_BITS };

struct cuda_pair_group_t {
    int first, count; /* order[first .. first+count-1] */
};

/* Grows on demand; zeroed at first. */
struct cuda_group_t {
    cuda_buffer_t room;
    int64_t capacity;
    int n_sequences;

    /* to be filled in: [n] */
    unsigned long long *keys; /* of cuda_group_key, or CUDA_GROUP_NO_KEY */
    int *indices;             /* whatever tells a pair */

    /* what comes of it */
    const int *order;               /* [n] indices, query after query */
    const cuda_pair_group_t *units; /* class after class, the longest first in each */
    const int *class_start;         /* [CUDA_GROUP_CLASSES + 1] into units */
    int *next;                      /* [CUDA_GROUP_CLASSES] zeros: a counter a class */

    /* between them */
    unsigned long long *key_rooms[2];
    int *index_rooms[2], *query_ends, *bins;
    cuda_pair_group_t *unit_room;
    void *sorting;
    size_t sorting_bytes;
};

constexpr int64_t CUDA_GROUP_PAIRS_MAX = 1 << 26;

/* Sorts last and comes into no unit. */
constexpr unsigned long long CUDA_GROUP_NO_KEY = ~0ull;

/* @return the key of a pair of a query, of a class, with so many letters to go through */
__host__ __device__ inline unsigned long long cuda_group_key(int query, int group_class,
                                                             int letters)
{
    const int most = (1 << CUDA_GROUP_LENGTH_BITS) - 1;
    const int length =
        letters / CUDA_GROUP_LENGTH_STEP < most ? letters / CUDA_GROUP_LENGTH_STEP : most;

    return static_cast<unsigned long long>(query) << CUDA_GROUP_QUERY_SHIFT |
           static_cast<unsigned>(group_class << CUDA_GROUP_LENGTH_BITS | length);
}

/* @return bytes of device memory a pair takes in a group, at most */
size_t cuda_group_pair_bytes();

/* @return pairs of a batch of n to take at a time, so that a group takes few bytes */
int64_t cuda_group_part(int64_t n, int64_t bytes);

/* Make room for n pairs of a set, CUDA_GROUP_PAIRS_MAX at most. */
status_t cuda_group_reserve(cuda_group_t *g, int64_t n, int n_sequences);

/* Form the units of the n keys. Keys and indices may be filled in again as soon as what
 * is enqueued here has run, while the order is still in use. */
status_t cuda_group_form(cuda_group_t *g, int64_t n, cudaStream_t stream);

void cuda_group_free(cuda_group_t *g);

#ifdef __CUDACC__
/*
 * Take a class's next unit, for a block of one warp.
 *
 * @param p  has units, class_start and next as a group has them
 * @return whether there is one
 */
template <typename LAUNCH>
__device__ inline bool cuda_group_take(const LAUNCH &p, int group_class,
                                       cuda_pair_group_t *unit)
{
    int k = threadIdx.x == 0 ? atomicAdd(&p.next[group_class], 1) : 0;

    k = __shfl_sync(0xffffffffu, k, 0) + p.class_start[group_class];
    if (k >= p.class_start[group_class + 1])
        return false;
    *unit = p.units[k];
    return true;
}
#endif

#endif
