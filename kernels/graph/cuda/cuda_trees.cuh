/*
 * cuda_trees.cuh - what kernels on trees have in common: the parents of nodes, and which
 * child is the last one to be done.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

/* An operation of loop_run on the arcs from parents to children. */
struct trees_parent_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    int *parent;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a) const
    {
        parent[g.to[a]] = row.node;
    }
};

/* @param missing  the children of a node that are not done
 * @return whether n children were the last ones, so that the node's values are complete
 */
__device__ inline bool trees_are_last(int *missing, int n)
{
    __threadfence();
    if (atomicSub(missing, n) != n)
        return false;
    __threadfence();
    return true;
}
