/*
 * cuda_far.cuh - the far set of shortest paths (near-far, Davidson et al. 2014): bits of
 * the nodes that wait until no node below a threshold is left.
 */
#pragma once

#include "kernels/graph/cuda/cuda_relax.cuh"

/* @return the node whose distance a node of the loop has */
__device__ inline int relax_owner(const cuda_split_t &split, int u)
{
    return split.owner != nullptr ? split.owner[u] : u;
}

template <typename D> __host__ __device__ constexpr D infinite()
{
    return static_cast<D>(~static_cast<D>(0));
}

/* Put a node into the far set. */
__device__ inline void far_put(uint32_t *far, int u)
{
    if (!(grid_read(&far[u >> 5]) & bit_mask(u)))
        atomicOr(&far[u >> 5], bit_mask(u));
}

enum { FAR_AHEAD = 8 }; /* words of the far set that a warp reads at the same time */

/* Words of the far set that are not 0, which the lanes of a warp have read. */
template <typename P, typename D = typename P::word_t>
__device__ void far_take_words(const relax_t<P> &s, D from, D to, int64_t first,
                               uint32_t my_word, uint32_t *bits, int *queue, unsigned *n,
                               unsigned long long *least)
{
    for (unsigned todo = __ballot_sync(ALL_LANES, my_word != 0); todo != 0;) {
        uint32_t word[FAR_AHEAD], taken[FAR_AHEAD];
        int64_t at[FAR_AHEAD];
        D d[FAR_AHEAD];
        unsigned n_taken = 0, place = 0;

#pragma unroll
        for (int k = 0; k < FAR_AHEAD; k++, todo &= todo - 1) {
            const int owner = todo != 0 ? __ffs(static_cast<int>(todo)) - 1 : 0;
            const uint32_t its_word = __shfl_sync(ALL_LANES, my_word, owner);

            word[k] = todo != 0 ? its_word : 0;
            at[k] = first + owner;
            d[k] = word[k] >> grid_lane() & 1
                       ? grid_read(&s.distance[relax_owner(
                             s.split, static_cast<int>(at[k]) * 32 + grid_lane())])
                       : infinite<D>();
        }
#pragma unroll
        for (int k = 0; k < FAR_AHEAD; k++) {
            const unsigned kept = __ballot_sync(ALL_LANES, d[k] >= to) & word[k];

            taken[k] = __ballot_sync(ALL_LANES, d[k] >= from && d[k] < to);
            n_taken += static_cast<unsigned>(__popc(taken[k]));
            if (kept >> grid_lane() & 1)
                *least = min(*least, static_cast<unsigned long long>(d[k]));
            if (kept != word[k] && grid_lane() == 0) {
                /* relaxations may go on, and put other nodes of the word there */
                atomicAnd(&s.far[at[k]], ~(word[k] & ~kept));
                if (bits != nullptr)
                    bits[at[k]] = taken[k];
            }
        }
        if (n_taken == 0)
            continue;
        if (grid_lane() == 0)
            place = atomicAdd(n, n_taken);
        place = __shfl_sync(ALL_LANES, place, 0);
#pragma unroll
        for (int k = 0; k < FAR_AHEAD; k++) {
            if (taken[k] >> grid_lane() & 1)
                queue[place + static_cast<unsigned>(
                                  __popc(taken[k] & ((1u << grid_lane()) - 1)))] =
                    static_cast<int>(at[k]) * 32 + grid_lane();
            place += static_cast<unsigned>(__popc(taken[k]));
        }
    }
}

/*
 * Take the nodes below `to` out of the far set.  Those below `from` are settled; the
 * others become the working set.
 *
 * @param first, end      the words of the far set to look at
 * @param warp, n_warps   of those that share them
 * @param bits            of the working set, all 0; or nullptr
 * @param minimum         lowered to the smallest distance that stays
 */
template <typename P, typename D = typename P::word_t>
__device__ void far_take(const relax_t<P> &s, D from, D to, int64_t first, int64_t end,
                         int64_t warp, int64_t n_warps, uint32_t *bits, int *queue,
                         unsigned *n, unsigned long long *minimum)
{
    const int width = static_cast<int>(min((end - first) / n_warps + 1, int64_t{32}));
    unsigned long long least = ~0ull;

    for (int64_t w = first + warp * width; w < end; w += n_warps * width) {
        const int64_t mine = w + grid_lane();

        far_take_words(s, from, to, w,
                       grid_lane() < width && mine < end ? grid_read(&s.far[mine]) : 0,
                       bits, queue, n, &least);
    }
    for (int k = 1; k < 32; k *= 2)
        least = min(least, __shfl_xor_sync(ALL_LANES, least, k));
    if (grid_lane() == 0 && least != ~0ull)
        atomicMin(minimum, least);
}
