/*
 * cuda_pull.cuh - the first arc of a row that leads to a node with some property.
 */
#pragma once

#include "kernels/graph/cuda/cuda_graph.cuh"

enum { PULL_OWN_ARCS = 32 };

/*
 * Each lane searches a row: its first arcs alone, the others with the whole warp.  All
 * lanes take part.
 *
 * @param u       the row's node, or -1
 * @param key     what the search compares with
 * @param wanted  bool(int node, uint32_t key)
 * @param seen    counts the arcs that were looked at
 * @return the node that the arc leads to, or -1
 */
template <typename WANTED>
__device__ inline int pull_first(const cuda_graph_t &g, int u, uint32_t key,
                                 WANTED wanted, unsigned long long *seen)
{
    uint32_t at = u >= 0 ? g.first[u] : 0;
    const uint32_t end = u >= 0 ? g.first[u + 1] : 0;
    const uint32_t own_end = min(end, at + PULL_OWN_ARCS);
    int found = -1;

    for (; found < 0 && at < own_end; at++) {
        const int v = g.to[at];

        (*seen)++;
        if (wanted(v, key))
            found = v;
    }
    for (unsigned todo = __ballot_sync(ALL_LANES, found < 0 && at < end); todo != 0;
         todo &= todo - 1) {
        const int owner = __ffs(static_cast<int>(todo)) - 1;
        const uint32_t last = __shfl_sync(ALL_LANES, end, owner);
        const uint32_t its_key = __shfl_sync(ALL_LANES, key, owner);
        unsigned hits = 0;
        int v = -1;

        for (uint32_t base = __shfl_sync(ALL_LANES, at, owner); base < last && hits == 0;
             base += 32) {
            const uint32_t a = base + static_cast<uint32_t>(grid_lane());

            v = a < last ? g.to[a] : -1;
            (*seen) += v >= 0;
            hits = __ballot_sync(ALL_LANES, v >= 0 && wanted(v, its_key));
        }
        v = __shfl_sync(ALL_LANES, v, hits != 0 ? __ffs(static_cast<int>(hits)) - 1 : 0);
        if (grid_lane() == owner && hits != 0)
            found = v;
    }
    return found;
}
