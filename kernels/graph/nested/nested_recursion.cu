/*
 * nested_recursion.cu - rec-naive and rec-hier (Li et al. 2015).
 *
 * rec-naive: a kernel per inner node, a thread per child, which launches a kernel for a
 * child that is no leaf.  rec-hier: a block per child, a thread per grandchild; a kernel
 * is launched for a child that has children which are no leaves.  What the parent would
 * add after its children, the last child adds.  Nodes without a kernel of their own are
 * listed by the block that asked for it, which takes them after its own, as if it were
 * their grid.
 */
#include "kernels/graph/nested/nested_trees.cuh"

namespace
{

template <class V, class R> __global__ void recursion_kernel(nested_trees_t<V> t, int u);

/* Launch a kernel for a node, or list it. */
template <class V, class R>
__device__ void ask(const nested_trees_t<V> &t, int u, nested_block_t *block)
{
    const unsigned degree = t.degree(u);

    if (nested_ask(t.nested, 0, block) >= 0) {
        recursion_kernel<V, R>
            <<<R::n_blocks(degree), R::n_threads(degree), 0, cudaStreamFireAndForget>>>(
                t, u);
        if (cudaGetLastError() == cudaSuccess)
            return;
    }
    atomicAdd(&block->inlined, 1u);
    t.list(u, block);
}

constexpr unsigned MAX_THREADS = 256, MAX_BLOCKS = 65535;

struct naive_t {
    static __device__ unsigned n_blocks(unsigned)
    {
        return 1;
    }

    static __device__ unsigned n_threads(unsigned degree)
    {
        return min((degree + 31) / 32 * 32, MAX_THREADS);
    }

    template <class V>
    static __device__ void take(const nested_trees_t<V> &t, int u, unsigned, unsigned,
                                nested_block_t *block)
    {
        __shared__ unsigned n_leaves;
        unsigned n = 0;

        if (threadIdx.x == 0)
            n_leaves = 0;
        __syncthreads();
        for (uint32_t a = t.g.first[u] + threadIdx.x; a < t.g.first[u + 1];
             a += blockDim.x) {
            const int child = t.g.to[a];

            if (t.degree(child) == 0)
                n++;
            else
                ask<V, naive_t>(t, child, block);
        }
        __syncwarp();
        n = warp_add(n);
        if (grid_lane() == 0 && n > 0)
            atomicAdd(&n_leaves, n);
        __syncthreads();
        if (threadIdx.x == 0 && n_leaves > 0)
            block->atomics += t.add_leaves(u, n_leaves);
    }
};

struct hierarchical_t {
    static __device__ unsigned n_blocks(unsigned degree)
    {
        return min(degree, MAX_BLOCKS);
    }

    static __device__ unsigned n_threads(unsigned)
    {
        return MAX_THREADS;
    }

    /* @return whether a node has a child with children; all threads call */
    template <class V> static __device__ bool has_inner(const nested_trees_t<V> &t, int u)
    {
        bool has = false;

        for (uint32_t a = t.g.first[u] + threadIdx.x; a < t.g.first[u + 1] && !has;
             a += blockDim.x)
            has = t.degree(t.g.to[a]) > 0;
        return __syncthreads_or(has) != 0;
    }

    /* Take every step-th child. */
    template <class V>
    static __device__ void take(const nested_trees_t<V> &t, int u, unsigned begin,
                                unsigned step, nested_block_t *block)
    {
        unsigned n_leaves = 0;

        for (uint32_t k = begin; k < t.degree(u); k += step) {
            const int child = t.g.to[t.g.first[u] + k];
            const unsigned degree = t.degree(child);

            if (degree == 0)
                n_leaves++;
            else if (has_inner(t, child)) {
                if (threadIdx.x == 0)
                    ask<V, hierarchical_t>(t, child, block);
            } else if (threadIdx.x == 0)
                block->atomics += t.add_leaves(child, degree);
        }
        if (threadIdx.x == 0 && n_leaves > 0)
            block->atomics += t.add_leaves(u, n_leaves);
    }
};

/* Take a node, if there is one, and all that could not be launched. */
template <class V, class R>
__device__ void run_block(const nested_trees_t<V> &t, int u, nested_block_t *block)
{
    unsigned begin = blockIdx.x, step = gridDim.x;

    for (;;) {
        if (u >= 0)
            R::take(t, u, begin, step, block);
        __syncthreads();
        u = block->listed;
        __syncthreads();
        if (u < 0)
            return;
        if (threadIdx.x == 0)
            block->listed = t.next[u];
        begin = 0;
        step = 1;
        __syncthreads();
    }
}

template <class V, class R>
__global__ void __launch_bounds__(MAX_THREADS)
    recursion_kernel(nested_trees_t<V> t, int u)
{
    __shared__ nested_block_t block;

    nested_block_begin(&block);
    run_block<V, R>(t, u, &block);
    nested_block_end(t.nested, block, true);
}

/* From all roots. */
template <class V, class R>
__global__ void __launch_bounds__(GRID_THREADS) roots_kernel(nested_trees_t<V> t)
{
    __shared__ nested_block_t block;

    nested_block_begin(&block);
    for (int64_t u = grid_thread(); u < t.g.n_nodes; u += grid_n_threads())
        if (t.parent[u] < 0 && t.degree(static_cast<int>(u)) > 0)
            ask<V, R>(t, static_cast<int>(u), &block);
    run_block<V, R>(t, -1, &block);
    nested_block_end(t.nested, block, false);
}

} // namespace

template <class V>
status_t nested_recursion(const nested_trees_t<V> &t, graph_template_t form, int n_blocks)
{
    return form == GRAPH_REC_NAIVE
               ? grid_launch_each(roots_kernel<V, naive_t>, n_blocks, t)
               : grid_launch_each(roots_kernel<V, hierarchical_t>, n_blocks, t);
}

template status_t nested_recursion(const nested_trees_t<nested_sums_t> &,
                                   graph_template_t, int);
template status_t nested_recursion(const nested_trees_t<nested_heights_t> &,
                                   graph_template_t, int);
