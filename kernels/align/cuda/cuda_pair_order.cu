/*
 * cuda_pair_order.cu - the order of pairs, by a radix sort of their keys.
 */
#include "kernels/align/cuda/cuda_pair_order.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

size_t sorting_bytes(int64_t n)
{
    cub::DoubleBuffer<pair_order_key_t> keys(nullptr, nullptr);
    cub::DoubleBuffer<unsigned> values(nullptr, nullptr);
    size_t bytes = 0;

    cub::DeviceRadixSort::SortPairsDescending(nullptr, bytes, keys, values,
                                              static_cast<int>(n));
    return bytes;
}

} // namespace

void pair_order_add(cuda_scratch_t *s, pair_order_t *o, int64_t n)
{
    for (int k = 0; k < 2; k++) {
        cuda_scratch_add(s, &o->keys[k], n);
        cuda_scratch_add(s, &o->values[k], n);
    }
    o->sorting_bytes = sorting_bytes(n);
    cuda_scratch_add(s, &o->sorting, static_cast<int64_t>(o->sorting_bytes));
}

status_t pair_order_sort(const pair_order_t &o, int64_t n, cudaStream_t stream,
                         const unsigned **order)
{
    cub::DoubleBuffer<pair_order_key_t> keys(o.keys[0], o.keys[1]);
    cub::DoubleBuffer<unsigned> values(o.values[0], o.values[1]);
    size_t bytes = o.sorting_bytes;
    const status_t st =
        CUDA_TRY(cub::DeviceRadixSort::SortPairsDescending(o.sorting, bytes, keys, values,
                                                           static_cast<int>(n), 0,
                                                           PAIR_ORDER_BITS, stream));

    *order = values.Current();
    return st;
}
