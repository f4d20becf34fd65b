/*
 * nested_items.cuh - the templates of the loop "for each node of a queue, for each of its
 * arcs" that launch kernels for nodes of many arcs (Li et al. 2015, Wu et al. 2016).
 *
 * A thread takes a node.  If it has few arcs, the thread adds them up, or its warp takes
 * those of 32 nodes together.  For nodes of many arcs, items, kernels are launched: one
 * per item, or consolidated ones.
 */
#pragma once

#include "kernels/graph/cuda/cuda_loop.cuh"
#include "kernels/graph/nested/nested_buffers.cuh"

/* Parameters; passed to kernels by value. */
struct nested_items_t {
    nested_t nested;
    bool launches; /* for nodes of many arcs; otherwise their block takes them */
    nested_buffers_t buffers;
    nested_child_t child;
    uint32_t lb_threshold;
};

struct nested_items_shared_t {
    nested_block_t block;
    nested_list_t list;
    double sums[2 * GRID_WARPS];
};

/*
 * Operations are as those of loop_run, and have besides, for all threads of a block:
 *   void block_begin(nested_block_t *block);
 *       of a kernel that was launched, too: it has a copy of its parent's
 *   void block_end();
 */

/* An operation on all arcs of each node, without anything besides. */
template <class OP> struct nested_op_t : OP {
    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row_begin(this->g, u, row);
        return true;
    }

    __device__ void block_begin(nested_block_t *) const
    {
    }

    __device__ void block_end() const
    {
    }
};

/* An item, by a block of THREADS threads. @param sums  [2 * THREADS / 32] */
template <int THREADS, class OP>
__device__ inline void nested_item(OP &op, int u, double *sums)
{
    cuda_row_t<typename OP::value_t> row;

    if (op.begin(u, &row))
        row_by_block<THREADS>(op, row, sums);
}

enum { NESTED_LONG = 2048 }; /* arcs that a warp of a launched kernel takes, at most */

/* Items of a buffer by warps, and long ones by blocks.
 * @param sums  [2 * THREADS / 32] */
template <int THREADS, class OP>
__device__ void nested_items_by_warps(OP &op, const int *items, unsigned n, double *sums)
{
    __shared__ int list[THREADS];
    __shared__ unsigned n_long;
    const bool has_long = op.g.max_degree > NESTED_LONG;
    const unsigned n_warps = gridDim.x * (THREADS / 32);
    const unsigned width = min(n / n_warps + 1, 32u), warp = threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32;

    for (unsigned first = blockIdx.x * (THREADS / 32) * width; first < n;
         first += n_warps * width) {
        const unsigned k = first + warp * width + lane;
        cuda_row_t<typename OP::value_t> row = {};
        const bool has = lane < width && k < n && op.begin(grid_read(&items[k]), &row);
        const bool is_long = has_long && has && row.end - row.first > NESTED_LONG;

        for (unsigned todo = __ballot_sync(ALL_LANES, has && !is_long); todo != 0;
             todo &= todo - 1)
            row_by_warp(op, row_of_lane(row, __ffs(static_cast<int>(todo)) - 1));
        if (!has_long)
            continue;
        if (threadIdx.x == 0)
            n_long = 0;
        __syncthreads();
        if (is_long)
            list[atomicAdd(&n_long, 1u)] = row.node;
        __syncthreads();
        for (unsigned i = 0; i < n_long; i++)
            nested_item<THREADS>(op, list[i], sums);
        __syncthreads();
    }
}

/* The item u, or those of a buffer: by blocks, if there is one for each, otherwise by
 * warps. */
template <int THREADS, class OP>
__global__ void __launch_bounds__(THREADS)
    nested_items_kernel(OP op, nested_t nested, nested_buffers_t buffers, int u,
                        int *items, unsigned n)
{
    __shared__ nested_block_t block;
    __shared__ double sums[2 * THREADS / 32];

    nested_block_begin(&block);
    op.block_begin(&block);
    if (n > gridDim.x)
        nested_items_by_warps<THREADS>(op, items, n, sums);
    else
        nested_item<THREADS>(op, items != nullptr ? grid_read(&items[blockIdx.x]) : u,
                             sums);
    op.block_end();
    nested_release(buffers, items);
    nested_block_end(nested, block, true);
}

/* Launch a kernel for n items of a buffer, or one item. @return whether it was not
 * refused */
template <class OP>
__device__ bool nested_launch(const OP &op, const nested_items_t &p, int u, int *items,
                              unsigned n)
{
    const unsigned blocks =
        p.child.blocks == 0 || n < p.child.blocks ? n : p.child.blocks;

    switch (p.child.threads) {
    case 32:
        nested_items_kernel<32><<<blocks, 32, 0, cudaStreamFireAndForget>>>(op, p.nested,
                                                                            p.buffers, u,
                                                                            items, n);
        break;
    case 128:
        nested_items_kernel<128>
            <<<blocks, 128, 0, cudaStreamFireAndForget>>>(op, p.nested, p.buffers, u,
                                                          items, n);
        break;
    case 256:
        nested_items_kernel<256>
            <<<blocks, 256, 0, cudaStreamFireAndForget>>>(op, p.nested, p.buffers, u,
                                                          items, n);
        break;
    default:
        nested_items_kernel<64><<<blocks, 64, 0, cudaStreamFireAndForget>>>(op, p.nested,
                                                                            p.buffers, u,
                                                                            items, n);
    }
    return cudaGetLastError() == cudaSuccess;
}

/* Launch a kernel for one item. */
template <class OP>
__device__ bool nested_launch_item(const OP &op, const nested_items_t &p, int u, int turn,
                                   nested_block_t *block)
{
    if (nested_ask(p.nested, turn, block) >= 0 && nested_launch(op, p, u, nullptr, 1))
        return true;
    atomicAdd(&block->inlined, 1u);
    return false;
}

/* One tile of the set: a node, or -1, per thread. */
template <class OP>
__device__ void nested_tile(OP &op, const nested_items_t &p, int u, int turn,
                            nested_items_shared_t *shared)
{
    nested_list_t *list = &shared->list;
    cuda_row_t<typename OP::value_t> row = {};
    const bool has = u >= 0 && op.begin(u, &row);
    bool is_item = has && row.end - row.first > p.lb_threshold;

    if constexpr (OP::is_sum) {
        if (has && !is_item)
            row_by_thread(op, row);
        __syncwarp();
    } else {
        row_gather(op, row, has && !is_item, p.lb_threshold);
    }
    if (is_item && p.launches && p.buffers.level == GRAPH_CONSOLIDATE_NONE)
        is_item = !nested_launch_item(op, p, u, turn, &shared->block);
    nested_consolidate(p.nested, p.buffers, is_item, u, turn, &shared->block, list,
                       [&](int *items, unsigned n) {
                           return nested_launch(op, p, 0, items, n);
                       });
    for (unsigned k = list->n_launched; k < list->n; k++)
        nested_item<GRID_THREADS>(op, list->items[k], shared->sums);
    __syncthreads();
}

/*
 * Run an operation on the nodes of a set without bits.  All threads of the grid, of
 * GRID_THREADS per block, call.
 *
 * @param turn    the number of the iteration, which is a grid; the one after begins when
 * all that this one has launched has ended
 * @param is_own  each block has a set of its own
 */
template <class OP>
__device__ void nested_run(OP &op, const nested_items_t &p, const cuda_set_t &set,
                           int turn, nested_items_shared_t *shared, bool is_own = false)
{
    const int64_t first = is_own ? 0 : static_cast<int64_t>(blockIdx.x) * GRID_THREADS;
    const int64_t step = is_own ? GRID_THREADS : grid_n_threads();
    nested_list_t *list = &shared->list;
    unsigned n;

    nested_block_begin(&shared->block);
    op.block_begin(&shared->block);
    nested_list_begin(p.nested, p.buffers, turn, list);
    for (int64_t tile = first; tile < set.n; tile += step)
        nested_tile(op, p, loop_node(set, tile + threadIdx.x), turn, shared);
    n = nested_by_grid(p.nested, p.buffers, turn, &shared->block, list,
                       [&](int *items, unsigned k) {
                           return nested_launch(op, p, 0, items, k);
                       });
    for (unsigned k = 0; k < n; k++)
        nested_item<GRID_THREADS>(op, grid_read(&list->buffer[k]), shared->sums);
    nested_by_grid_end(p.buffers, list, n);
    op.block_end();
    nested_block_end(p.nested, shared->block, false);
}

/* Allocate what nested_run needs. @param OP  the operation */
template <class OP> status_t nested_items_create(cuda_state_t *s, nested_items_t *p)
{
    const graph_run_t *run = s->context.run;
    void (*kernel)(OP, nested_t, nested_buffers_t, int, int *, unsigned) =
        nested_items_kernel<64, OP>;
    status_t st;

    p->launches = run->loop_template != GRAPH_RECURSIVE;
    p->lb_threshold = run->lb_threshold > 0 ? static_cast<uint32_t>(run->lb_threshold)
                                            : CUDA_LB_THRESHOLD;
    if ((st = nested_create(run, &s->memory, &p->nested)) != ST_OK ||
        (st = nested_buffers_create(run, p->nested, s->g.n_nodes, &s->memory,
                                    &p->buffers)) != ST_OK)
        return st;
    return nested_child_grid(run, p->buffers, cuda_cores(s),
                             reinterpret_cast<const void *>(kernel), &p->child);
}

/* Fetch a result and the counts. @param S  a state with items */
template <class S,
          status_t (*FETCH)(cuda_state_t *, const graph_task_t *, graph_result_t *)>
status_t nested_fetch(cuda_state_t *state, const graph_task_t *task, graph_result_t *out)
{
    status_t st = FETCH(state, task, out);

    return st == ST_OK
               ? nested_print(static_cast<S *>(state)->items.nested, &out->decisions)
               : st;
}

/* Begin a task. */
MUST_CHECK inline status_t nested_items_begin(const nested_items_t &p)
{
    status_t st = nested_begin(p.nested);

    return st == ST_OK ? nested_buffers_begin(p.buffers) : st;
}

/* Launch a kernel that calls nested_run, on as many blocks as there is work for, or as
 * fit on the device at the same time. */
template <typename... P, typename... A>
status_t nested_launch_grid(const cuda_state_t *s, void (*kernel)(P...), A... arguments)
{
    const int per_node = s->g.n_nodes / GRID_THREADS + 1;
    int blocks;
    const status_t st =
        sync_resident(kernel, {0, GRID_THREADS, 1}, cuda_cores(s), &blocks);

    if (st != ST_OK)
        return st;
    return grid_launch_each(kernel, per_node < blocks ? per_node : blocks, arguments...);
}
