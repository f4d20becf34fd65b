/*
 * cuda_pair_order.cuh - puts the pairs of a batch into the order in which warps take
 * them, by one key per pair.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_PAIR_ORDER_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_PAIR_ORDER_CUH

#include "kernels/align/cuda/cuda_buffer.cuh"

/* Keys are less than 2 to the power of PAIR_ORDER_BITS. */
using pair_order_key_t = unsigned long long;
constexpr int PAIR_ORDER_BITS = 58;

/* Device memory to sort n pairs. */
struct pair_order_t {
    pair_order_key_t *keys[2]; /* [n], as the values */
    unsigned *values[2];       /* [n] sorting goes back and forth between the two */
    void *sorting;
    size_t sorting_bytes;
};

/* Take the arrays from a block of device memory. */
pair_order_t pair_order_carve(cuda_carver_t *c, int64_t n);

/* Enqueue: sort n of values[0] by keys[0], the greatest key first.
 * @param order  out: [n] the sorted values */
status_t pair_order_sort(const pair_order_t &o, int64_t n, cudaStream_t stream,
                         const unsigned **order);

#endif
