/*
 * cuda_pair_order.cuh - puts the pairs of a batch into the order in which warps take
 * them, by one key per pair.
 */
#pragma once

#include "kernels/align/cuda/cuda_buffer.cuh"

/* Keys are less than 2 to the power of PAIR_ORDER_BITS. */
using pair_order_key_t = unsigned long long;
constexpr int PAIR_ORDER_BITS = 62;

/* Device memory to sort n pairs. */
struct pair_order_t {
    pair_order_key_t *keys[2]; /* [n], as the values */
    unsigned *values[2];       /* [n] sorting goes back and forth between the two */
    char *sorting;
    size_t sorting_bytes;
};

/* Add a thread's pair to those of its kind; called by whole warps.
 * @param kind  KINDS: the thread has none */
template <int KINDS> __device__ inline void pair_order_count(int *n_of_kind, int kind)
{
    for (int k = 0; k < KINDS; k++) {
        const unsigned of_it = __ballot_sync(0xffffffffu, k == kind);

        if (threadIdx.x % 32 == 0 && of_it != 0)
            atomicAdd(&n_of_kind[k], __popc(of_it));
    }
}

/* Add the arrays for n pairs to those of a block of device memory. */
void pair_order_add(cuda_scratch_t *s, pair_order_t *o, int64_t n);

/* Enqueue: sort n of values[0] by keys[0], the greatest key first; equal keys keep their
 * order.
 * @param order  out: [n] the sorted values */
status_t pair_order_sort(const pair_order_t &o, int64_t n, cudaStream_t stream,
                         const unsigned **order);
