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

pair_order_t pair_order_carve(cuda_carver_t *c, int64_t n)
{
    pair_order_t o = {};

    for (int k = 0; k < 2; k++) {
        o.keys[k] = cuda_carve<pair_order_key_t>(c, n);
        o.values[k] = cuda_carve<unsigned>(c, n);
    }
    o.sorting_bytes = sorting_bytes(n);
    o.sorting = cuda_carve<char>(c, static_cast<int64_t>(o.sorting_bytes));
    return o;
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
