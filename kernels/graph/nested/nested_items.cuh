/*
 * nested_items.cuh - the templates of the loop "for each node of a queue, for each of its
 * arcs" that launch kernels for nodes of many arcs (Li et al. 2015).
 *
 * A thread takes a node, and the arcs of a node of few.  For nodes of many arcs, items,
 * kernels are launched: one per item (dpar-naive), or one for all items of a block, which
 * finds them in a buffer, and has a block for each (dpar-opt).
 */
#pragma once

#include "kernels/graph/cuda/cuda_loop.cuh"
#include "kernels/graph/nested/nested.cuh"

/* Threads of a block that was launched for an item. */
constexpr int NESTED_CHILD_THREADS = 64;

/* Parameters; passed to kernels by value. */
struct nested_items_t {
    nested_t nested;
    bool is_opt;
    uint32_t lb_threshold;
    int *buffers; /* [max_allowed * GRID_THREADS] of each launch of an iteration */
};

struct nested_items_shared_t {
    nested_block_t block;
    unsigned n, n_launched; /* items, and how many of them have a kernel */
    int number;             /* of a launch */
    int items[GRID_THREADS];
    double sums[2 * GRID_WARPS];
};

/*
 * Operations are as those of loop_run, and have besides, for all threads of a block:
 *   void block_begin();  of a kernel that was launched: it has a copy of its parent's
 *   void block_end();
 */

/* An item, by a block of THREADS threads. @param sums  [2 * THREADS / 32] */
template <int THREADS, class OP>
__device__ inline void nested_item(OP &op, int u, double *sums)
{
    cuda_row_t<typename OP::value_t> row;

    if (op.begin(u, &row))
        row_by_block<THREADS>(op, row, sums);
}

/* Each block takes an item of a buffer or, with nullptr, the item u. */
template <class OP>
__global__ void __launch_bounds__(NESTED_CHILD_THREADS)
    nested_items_kernel(OP op, nested_t nested, int u, const int *items)
{
    __shared__ nested_block_t block;
    __shared__ double sums[2 * NESTED_CHILD_THREADS / 32];

    nested_block_begin(&block);
    op.block_begin();
    nested_item<NESTED_CHILD_THREADS>(op,
                                      items != nullptr ? grid_read(&items[blockIdx.x])
                                                       : u,
                                      sums);
    op.block_end();
    nested_block_end(nested, block, true);
}

/* Launch a kernel for one item. */
template <class OP>
__device__ bool nested_launch_item(const OP &op, const nested_items_t &p, int u, int turn,
                                   nested_block_t *block)
{
    if (nested_ask(p.nested, turn, block) >= 0) {
        nested_items_kernel<<<1, NESTED_CHILD_THREADS, 0, cudaStreamFireAndForget>>>(
            op, p.nested, u, nullptr);
        if (cudaGetLastError() == cudaSuccess)
            return true;
    }
    atomicAdd(&block->inlined, 1u);
    return false;
}

/* Launch a kernel for the items of a block; all of its threads call. */
template <class OP>
__device__ void nested_launch_items(const OP &op, const nested_items_t &p, int turn,
                                    nested_items_shared_t *shared)
{
    const unsigned n = shared->n;
    int *buffer;

    if (n == 0)
        return;
    if (threadIdx.x == 0)
        shared->number = nested_ask(p.nested, turn, &shared->block);
    __syncthreads();
    buffer = p.buffers + static_cast<int64_t>(max(shared->number, 0)) * GRID_THREADS;
    if (shared->number >= 0 && threadIdx.x < n)
        grid_write(&buffer[threadIdx.x], shared->items[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (shared->number >= 0) {
        nested_items_kernel<<<n, NESTED_CHILD_THREADS, 0, cudaStreamFireAndForget>>>(
            op, p.nested, 0, buffer);
        if (cudaGetLastError() == cudaSuccess)
            shared->n_launched = n;
    }
    shared->block.inlined += shared->n_launched == 0;
}

/* One tile of the set: a node, or -1, per thread. */
template <class OP>
__device__ void nested_tile(OP &op, const nested_items_t &p, int u, int turn,
                            nested_items_shared_t *shared)
{
    cuda_row_t<typename OP::value_t> row = {};
    const bool has = u >= 0 && op.begin(u, &row);
    bool is_item = has && row.end - row.first > p.lb_threshold;

    if (threadIdx.x == 0)
        shared->n = shared->n_launched = 0;
    __syncthreads();
    if (has && !is_item)
        row_by_thread(op, row);
    else if (is_item && !p.is_opt)
        is_item = !nested_launch_item(op, p, u, turn, &shared->block);
    if (is_item)
        shared->items[atomicAdd(&shared->n, 1u)] = u;
    __syncthreads();
    if (p.is_opt)
        nested_launch_items(op, p, turn, shared);
    __syncthreads();
    for (unsigned k = shared->n_launched; k < shared->n; k++)
        nested_item<GRID_THREADS>(op, shared->items[k], shared->sums);
    __syncthreads();
}

/*
 * Run an operation on the nodes of a set without bits.  All threads of the grid, of
 * GRID_THREADS per block, call.
 *
 * @param turn  the number of the iteration, which is a grid; the one after begins when
 * all that this one has launched has ended
 */
template <class OP>
__device__ void nested_run(OP &op, const nested_items_t &p, const cuda_set_t &set,
                           int turn, nested_items_shared_t *shared)
{
    nested_block_begin(&shared->block);
    if (grid_is_first())
        nested_allow(p.nested, turn);
    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads())
        nested_tile(op, p, loop_node(set, tile + threadIdx.x), turn, shared);
    op.block_end();
    nested_block_end(p.nested, shared->block, false);
}

/* Allocate what nested_run needs. */
inline status_t nested_items_create(cuda_state_t *s, nested_items_t *p)
{
    const graph_run_t *run = s->context.run;
    status_t st = nested_create(run, &s->memory, &p->nested);

    p->is_opt = run->loop_template == GRAPH_DPAR_OPT;
    p->lb_threshold = run->lb_threshold > 0 ? static_cast<uint32_t>(run->lb_threshold)
                                            : CUDA_LB_THRESHOLD;
    return st == ST_OK ? cuda_memory_new(&s->memory,
                                         static_cast<int64_t>(p->nested.max_allowed) *
                                             GRID_THREADS,
                                         &p->buffers)
                       : st;
}

/* @return the blocks of a grid for nested_run: no more than there is work for */
inline int nested_blocks(const cuda_state_t *s)
{
    const int per_node = s->g.n_nodes / GRID_THREADS + 1;
    const int resident = GRID_BLOCKS_PER_CORE * cuda_cores(s);

    return per_node < resident ? per_node : resident;
}
