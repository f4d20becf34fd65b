/*
 * cuda_sets.cuh - disjoint sets of nodes as trees, which threads join concurrently.
 *
 * parent[u] is a smaller node of the same set, or u itself: the root, which in the end is
 * the smallest node of its set, whatever the order (Jaiganesh and Burtscher 2018).
 */
#pragma once

#include "kernels/graph/cuda/cuda_grid.cuh"

/* @return the root of u's tree; halves the path to it */
__device__ inline int sets_root(int *parent, int u)
{
    int current = parent[u];

    if (current != u) {
        int previous = u, next;

        while (current > (next = parent[current])) {
            parent[previous] = next;
            previous = current;
            current = next;
        }
    }
    return current;
}

/* Let each of n nodes have its root as parent; the grid takes part, and no sets are
 * joined meanwhile.  Paths are not halved: a thread that halves one could replace a root,
 * which another one has just written, by a node of the former path. */
__device__ inline void sets_flatten(int *parent, int n)
{
    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        int u = static_cast<int>(i), next;

        while ((next = grid_read(&parent[u])) != u)
            u = next;
        if (u != i)
            parent[i] = u;
    }
}

/* Join the sets of u and v. */
__device__ inline void sets_join(int *parent, int u, int v)
{
    u = sets_root(parent, u);
    v = sets_root(parent, v);
    while (u != v) {
        const int large = max(u, v), small = min(u, v);
        const int old = atomicCAS(&parent[large], large, small);

        if (old == large)
            return;
        u = old;
        v = small;
    }
}
