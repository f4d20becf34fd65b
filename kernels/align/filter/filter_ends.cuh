/*
 * filter_ends.cuh - some lanes of a warp test the starts and ends of one pair.
 *
 * The bins are tested from the longest to the shortest: an alignment of a shorter bin
 * lies within the starts and ends of a longer one, too, so that one count may settle all
 * bins that are left (docs/filters.md, "Stage 3").
 */
#pragma once

#include "kernels/align/filter/filter_tile.cuh"

namespace
{

/* @return the start (end = 0) or end (1) of sequence i for bin k, in quads of words */
__device__ const uint4 *end_of(const filter_tile_launch_t &p, long long i, int end, int k)
{
    return reinterpret_cast<const uint4 *>(p.ends + ((i * 2 + end) * FILTER_BINS + k) *
                                                        p.end_words);
}

__device__ int shared_bits(uint4 u, uint4 v)
{
    return __popc(u.x & v.x) + __popc(u.y & v.y) + __popc(u.z & v.z) + __popc(u.w & v.w);
}

static_assert(FILTER_LOG_MAX <= 16, "the bits of two ends are summed up in one int");

/* @return the sum over LANES neighbouring lanes */
template <int LANES> __device__ int lanes_sum(int n)
{
#pragma unroll
    for (int other = 1; other < LANES; other *= 2)
        n += __shfl_xor_sync(0xffffffffu, n, other);
    return n;
}

/* @return the maximum good windows of a pair, by bin k, in the better order of start and
 *         end. The lanes count both orders at once, so that they wait for memory and for
 *         each other only once. */
template <int LANES>
__device__ int max_good_of_bin(const filter_tile_launch_t &p, long long a, long long b,
                               int k, bool is_needed)
{
    const filter_seq_t &x = p.seqs[a], &y = p.seqs[b];
    const uint4 *a_start = end_of(p, a, 0, k), *a_end = end_of(p, a, 1, k);
    const uint4 *b_start = end_of(p, b, 0, k), *b_end = end_of(p, b, 1, k);
    const int quads = is_needed ? p.end_words / 4 : 0;
    constexpr int AT_ONCE = LANES < 32 ? 4 : 2; /* whole warps have fewer registers */
    int n = 0;

#pragma unroll AT_ONCE
    for (int w = threadIdx.x % LANES; w < quads; w += LANES)
        n +=
            shared_bits(a_start[w], b_end[w]) + (shared_bits(b_start[w], a_end[w]) << 16);
    n = lanes_sum<LANES>(n);

    const int first = (n & 0xffff) + min(x.end_excess[0][k], y.end_excess[1][k]);
    const int second = static_cast<int>(static_cast<unsigned>(n) >> 16) +
                       min(y.end_excess[0][k], x.end_excess[1][k]);

    return max(first, second) + x.dropped + y.dropped;
}

/* Test the ends of pairs: each LANES neighbouring lanes have one, and the whole warp
 * calls.
 *
 * @param bins  a bit for each bin that could let the pair pass; 0: there is no pair
 * @return whether one of them does */
template <int LANES>
__device__ bool ends_pass(const filter_tile_launch_t &p, long long a, long long b,
                          unsigned bins)
{
    const filter_seq_t *x = &p.seqs[a], *y = &p.seqs[b];
    const int needed_at_least = filter_min_good_of_bin(x, y, 0);
    bool passes = false;

    while (__any_sync(0xffffffffu, bins != 0)) {
        const int k = bins != 0 ? 31 - __clz(static_cast<int>(bins)) : 0;
        const int good = max_good_of_bin<LANES>(p, a, b, k, bins != 0);

        if (bins != 0) {
            passes = good >= filter_min_good_of_bin(x, y, k);
            bins = passes || good < needed_at_least ? 0 : bins & ~(1u << k);
        }
    }
    return passes;
}

} // namespace
