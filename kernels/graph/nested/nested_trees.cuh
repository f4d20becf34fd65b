/*
 * nested_trees.cuh - what recursion over trees keeps of nodes, and how a node that is
 * done goes on with its parent.
 */
#pragma once

#include "kernels/graph/cuda/cuda_trees.cuh"
#include "kernels/graph/nested/nested_buffers.cuh"

/* Both sums of a node in one number, so that one atomic addition does for both. */
struct nested_sums_t {
    unsigned long long *below; /* [n_nodes] 2^32 times the descendants, and the leaves */

    static constexpr unsigned long long ONE = 1ull << 32;

    __device__ void start(int u, bool is_leaf) const
    {
        below[u] = is_leaf;
    }

    /* Add one node that is `distance` arcs below. */
    __device__ void add_node(int up, int, bool is_leaf) const
    {
        atomicAdd(&below[up], ONE | is_leaf);
    }

    /* Set a node with n children, all leaves. */
    __device__ void set_leaves(int up, unsigned n) const
    {
        grid_write(&below[up], (ONE | 1) * n);
    }

    __device__ void add_leaves(int up, unsigned n) const
    {
        atomicAdd(&below[up], (ONE | 1) * n);
    }

    __device__ void pass_up(int u, int up) const
    {
        atomicAdd(&below[up], grid_read(&below[u]) + ONE);
    }
};

struct nested_heights_t {
    int *height; /* [n_nodes] */

    __device__ void start(int u, bool) const
    {
        height[u] = 0;
    }

    __device__ void add_node(int up, int distance, bool) const
    {
        atomicMax(&height[up], distance);
    }

    __device__ void set_leaves(int up, unsigned) const
    {
        grid_write(&height[up], 1);
    }

    __device__ void add_leaves(int up, unsigned) const
    {
        atomicMax(&height[up], 1);
    }

    __device__ void pass_up(int u, int up) const
    {
        atomicMax(&height[up], grid_read(&height[u]) + 1);
    }
};

/* Passed to kernels by value. */
template <class V> struct nested_trees_t {
    cuda_graph_t g;
    V values;
    int *parent, *missing; /* [n_nodes]; children that are not done */
    int *next;             /* [n_nodes] lists of nodes that blocks have yet to take */
    nested_t nested;
    nested_buffers_t buffers; /* of consolidated launches */
    nested_child_t child;

    __device__ unsigned degree(int u) const
    {
        return g.first[u + 1] - g.first[u];
    }

    /* Have the block take a node when it is through with its own. */
    __device__ void list(int u, nested_block_t *block) const
    {
        next[u] = atomicExch(&block->listed, u);
    }

    /* Go on with the ancestors of a node that is done, while it is the last child.
     * @return atomics on values */
    __device__ unsigned pass_up(int u) const
    {
        for (unsigned n = 0;; n++) {
            const int up = parent[u];

            if (up < 0)
                return n;
            values.pass_up(u, up);
            if (!trees_are_last(&missing[up], 1))
                return n + 1;
            u = up;
        }
    }

    /* Add n children that are leaves. */
    __device__ unsigned add_leaves(int u, unsigned n) const
    {
        if (n == degree(u)) {
            values.set_leaves(u, n);
            return pass_up(u);
        }
        values.add_leaves(u, n);
        return 1 + (trees_are_last(&missing[u], static_cast<int>(n)) ? pass_up(u) : 0);
    }
};

/*
 * Start with the roots of all trees.  Parents, missing children and values are set.
 *
 * @param form  rec-naive or rec-hier
 */
template <class V>
status_t nested_recursion(const nested_trees_t<V> &t, graph_template_t form,
                          int n_blocks) MUST_CHECK;

/* What consolidated launches need. @return ST_OK, ST_EDEVICE or ST_ELOST */
template <class V>
status_t nested_consolidated_create(const graph_run_t *run, int n_cores,
                                    cuda_memory_t *memory,
                                    nested_trees_t<V> *t) MUST_CHECK;

/* The same as rec-naive with consolidated launches. */
template <class V>
status_t nested_consolidated(const nested_trees_t<V> &t, int n_blocks) MUST_CHECK;
