/*
 * nested_consolidated.cu - rec-naive with consolidated launches (Wu et al. 2016): blocks
 * take the nodes of a buffer, and their threads the children, of which those with
 * children go into buffers.
 *
 * With the grid's buffer a kernel is a level of the trees, and the tail launch of the
 * kernel before it, so that launches are not nested.  Other kernels are children of those
 * that launch them, and nodes without a kernel are listed, as in nested_recursion.cu.
 */
#include "kernels/graph/nested/nested_trees.cuh"

namespace
{

constexpr int MAX_THREADS = 256;

struct shared_t {
    nested_block_t block;
    nested_list_t list;
    unsigned n_leaves;
    int listed; /* the node that the block takes */
};

template <class V>
__global__ void __launch_bounds__(MAX_THREADS)
    level_kernel(nested_trees_t<V> t, int *items, unsigned n, int turn);

/* Launch a kernel for n nodes of a buffer. */
template <class V>
__device__ bool launch_level(const nested_trees_t<V> &t, int *items, unsigned n, int turn)
{
    const unsigned blocks =
        t.child.blocks == 0 || n < t.child.blocks ? n : t.child.blocks;

    if (t.buffers.level == GRAPH_CONSOLIDATE_GRID)
        level_kernel<V>
            <<<blocks, t.child.threads, 0, cudaStreamTailLaunch>>>(t, items, n, turn + 1);
    else
        level_kernel<V>
            <<<blocks, t.child.threads, 0, cudaStreamFireAndForget>>>(t, items, n, turn);
    return cudaGetLastError() == cudaSuccess;
}

/* One tile: an inner node, or -1, per thread of the block. */
template <class V>
__device__ void take_tile(const nested_trees_t<V> &t, int u, int turn, shared_t *s)
{
    nested_consolidate(t.nested, t.buffers, u >= 0, u, turn, &s->block, &s->list,
                       [&](int *items, unsigned n) {
                           return launch_level(t, items, n, turn);
                       });
    for (unsigned k = s->list.n_launched + threadIdx.x; k < s->list.n; k += blockDim.x)
        t.list(s->list.items[k], &s->block);
    __syncthreads();
}

/* Take a node. */
template <class V>
__device__ void take_node(const nested_trees_t<V> &t, int u, int turn, shared_t *s)
{
    const uint32_t end = t.g.first[u + 1];
    unsigned n_leaves = 0;

    if (threadIdx.x == 0)
        s->n_leaves = 0;
    for (uint32_t first = t.g.first[u]; first < end; first += blockDim.x) {
        const uint32_t a = first + threadIdx.x;
        const int child = a < end ? t.g.to[a] : -1;
        const bool is_inner = child >= 0 && t.degree(child) > 0;

        n_leaves += child >= 0 && !is_inner;
        take_tile(t, is_inner ? child : -1, turn, s);
    }
    __syncthreads();
    n_leaves = warp_add(n_leaves);
    if (grid_lane() == 0 && n_leaves > 0)
        atomicAdd(&s->n_leaves, n_leaves);
    __syncthreads();
    if (threadIdx.x == 0 && s->n_leaves > 0)
        s->block.atomics += t.add_leaves(u, s->n_leaves);
    __syncthreads();
}

/* Take the nodes without a kernel. */
template <class V>
__device__ void take_listed(const nested_trees_t<V> &t, int turn, shared_t *s)
{
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            s->listed = s->block.listed;
            if (s->listed >= 0)
                s->block.listed = t.next[s->listed];
        }
        __syncthreads();
        if (s->listed < 0)
            return;
        take_node(t, s->listed, turn, s);
    }
}

/* Take what is left: all threads of all blocks call, after their last tile. */
template <class V> __device__ void end_level(nested_trees_t<V> &t, int turn, shared_t *s)
{
    unsigned n;

    take_listed(t, turn, s);
    n = nested_by_grid(t.nested, t.buffers, turn, &s->block, &s->list,
                       [&](int *items, unsigned k) {
                           return launch_level(t, items, k, turn);
                       });
    /* If the launch was refused, this block takes all nodes below, without kernels. */
    for (unsigned k = threadIdx.x; k < n; k += blockDim.x)
        t.list(grid_read(&s->list.buffer[k]), &s->block);
    nested_by_grid_end(t.buffers, &s->list, n);
    if (n == 0)
        return;
    t.buffers.level = GRAPH_CONSOLIDATE_NONE;
    take_listed(t, turn, s);
}

template <class V>
__global__ void __launch_bounds__(MAX_THREADS)
    level_kernel(nested_trees_t<V> t, int *items, unsigned n, int turn)
{
    __shared__ shared_t s;

    nested_block_begin(&s.block);
    nested_list_begin(t.nested, t.buffers, turn, &s.list);
    for (unsigned k = blockIdx.x; k < n; k += gridDim.x)
        take_node(t, grid_read(&items[k]), turn, &s);
    end_level(t, turn, &s);
    nested_release(t.buffers, items);
    nested_block_end(t.nested, s.block, true);
}

/* From all roots. */
template <class V>
__global__ void __launch_bounds__(GRID_THREADS) roots_kernel(nested_trees_t<V> t)
{
    __shared__ shared_t s;

    nested_block_begin(&s.block);
    nested_list_begin(t.nested, t.buffers, 0, &s.list);
    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS;
         tile < t.g.n_nodes; tile += grid_n_threads()) {
        const int64_t i = tile + threadIdx.x;
        const int u = static_cast<int>(i);
        const bool is_root = i < t.g.n_nodes && t.parent[u] < 0 && t.degree(u) > 0;

        take_tile(t, is_root ? u : -1, 0, &s);
    }
    end_level(t, 0, &s);
    nested_block_end(t.nested, s.block, false);
}

} // namespace

template <class V>
status_t nested_consolidated_create(const graph_run_t *run, int n_cores,
                                    cuda_memory_t *memory, nested_trees_t<V> *t)
{
    void (*kernel)(nested_trees_t<V>, int *, unsigned, int) = level_kernel<V>;
    status_t st =
        nested_buffers_create(run, t->nested, t->g.n_nodes, memory, &t->buffers);

    return st == ST_OK
               ? nested_child_grid(run, t->buffers, n_cores,
                                   reinterpret_cast<const void *>(kernel), &t->child)
               : st;
}

template <class V> status_t nested_consolidated(const nested_trees_t<V> &t, int n_blocks)
{
    status_t st = nested_buffers_begin(t.buffers);

    return st == ST_OK ? grid_launch_each(roots_kernel<V>, n_blocks, t) : st;
}

template status_t nested_consolidated_create(const graph_run_t *, int, cuda_memory_t *,
                                             nested_trees_t<nested_sums_t> *);
template status_t nested_consolidated_create(const graph_run_t *, int, cuda_memory_t *,
                                             nested_trees_t<nested_heights_t> *);
template status_t nested_consolidated(const nested_trees_t<nested_sums_t> &, int);
template status_t nested_consolidated(const nested_trees_t<nested_heights_t> &, int);
