/*
 * nested_items.cuh - the templates of the loop "for each node of a queue, for each of its
 * arcs" that launch kernels for nodes of many arcs (Li et al. 2015, Wu et al. 2016).
 *
 * A thread takes a node, and the arcs of a node of few.  For nodes of many arcs, items,
 * kernels are launched: one per item, or one for all items of a warp, of a block or of
 * the grid (consolidation), which finds them in a buffer.  Buffers are there for as many
 * launches as are allowed.
 */
#pragma once

#include "kernels/graph/cuda/cuda_loop.cuh"
#include "kernels/graph/nested/nested.cuh"

/* Parameters; passed to kernels by value. */
struct nested_items_t {
    nested_t nested;
    graph_consolidate_t level;
    uint32_t lb_threshold;
    unsigned buffer;    /* items of a warp's or block's launch */
    unsigned blocks;    /* of a kernel for a buffer; 0: one per item */
    unsigned threads;   /* of its blocks: 32, 64, 128 or 256 */
    int *buffers;       /* [max_allowed * GRID_THREADS] of each launch of an iteration */
    int *all;           /* [n_nodes] the buffer of the grid */
    unsigned *n_all;    /* [3] its items, in turn */
    unsigned *n_blocks; /* [3] blocks that are through with the set */
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

/* Each block takes items of a buffer or, with nullptr, the item u. */
template <int THREADS, class OP>
__global__ void __launch_bounds__(THREADS)
    nested_items_kernel(OP op, nested_t nested, int u, const int *items, unsigned n)
{
    __shared__ nested_block_t block;
    __shared__ double sums[2 * THREADS / 32];

    nested_block_begin(&block);
    op.block_begin();
    for (unsigned k = blockIdx.x; k < n; k += gridDim.x)
        nested_item<THREADS>(op, items != nullptr ? grid_read(&items[k]) : u, sums);
    op.block_end();
    nested_block_end(nested, block, true);
}

/* Launch a kernel for n items. @return whether it was not refused */
template <class OP>
__device__ bool nested_launch(const OP &op, const nested_items_t &p, int u,
                              const int *items, unsigned n)
{
    const unsigned blocks = p.blocks == 0 || n < p.blocks ? n : p.blocks;

    switch (p.threads) {
    case 32:
        nested_items_kernel<32>
            <<<blocks, 32, 0, cudaStreamFireAndForget>>>(op, p.nested, u, items, n);
        break;
    case 128:
        nested_items_kernel<128>
            <<<blocks, 128, 0, cudaStreamFireAndForget>>>(op, p.nested, u, items, n);
        break;
    case 256:
        nested_items_kernel<256>
            <<<blocks, 256, 0, cudaStreamFireAndForget>>>(op, p.nested, u, items, n);
        break;
    default:
        nested_items_kernel<64>
            <<<blocks, 64, 0, cudaStreamFireAndForget>>>(op, p.nested, u, items, n);
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

/* @return the buffer of a launch; of one that is not allowed any */
__device__ inline int *nested_buffer(const nested_items_t &p, int number)
{
    return p.buffers + static_cast<int64_t>(max(number, 0)) * GRID_THREADS;
}

/* A kernel for the items of a warp, whose lanes all call.
 * @return whether the item of this lane has a kernel */
template <class OP>
__device__ bool nested_by_warp(const OP &op, const nested_items_t &p, bool has, int u,
                               int turn, nested_block_t *block)
{
    const unsigned all = __ballot_sync(ALL_LANES, has);
    const unsigned n = min(static_cast<unsigned>(__popc(all)), p.buffer);
    const unsigned mine = static_cast<unsigned>(__popc(all & ((1u << grid_lane()) - 1)));
    int number = -1, is_launched = 0;

    if (all == 0)
        return false;
    if (grid_lane() == 0)
        number = nested_ask(p.nested, turn, block);
    number = __shfl_sync(ALL_LANES, number, 0);
    if (number >= 0 && has && mine < n)
        grid_write(&nested_buffer(p, number)[mine], u);
    __threadfence();
    __syncwarp();
    if (grid_lane() == 0) {
        is_launched = number >= 0 && nested_launch(op, p, 0, nested_buffer(p, number), n);
        if (is_launched == 0)
            atomicAdd(&block->inlined, 1u);
    }
    return __shfl_sync(ALL_LANES, is_launched, 0) != 0 && mine < n;
}

/* A kernel for the items of a block; all of its threads call. */
template <class OP>
__device__ void nested_by_block(const OP &op, const nested_items_t &p, int turn,
                                nested_items_shared_t *shared)
{
    const unsigned n = min(shared->n, p.buffer);

    if (n == 0)
        return;
    if (threadIdx.x == 0)
        shared->number = nested_ask(p.nested, turn, &shared->block);
    __syncthreads();
    if (shared->number >= 0 && threadIdx.x < n)
        grid_write(&nested_buffer(p, shared->number)[threadIdx.x],
                   shared->items[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (shared->number >= 0 &&
        nested_launch(op, p, 0, nested_buffer(p, shared->number), n))
        shared->n_launched = n;
    else
        shared->block.inlined++;
}

/* A kernel for the items of the grid, by its last block; if it cannot be launched, that
 * block takes all. */
template <class OP>
__device__ void nested_by_grid(OP &op, const nested_items_t &p, int turn,
                               nested_items_shared_t *shared)
{
    unsigned n;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        shared->number = atomicAdd(&p.n_blocks[turn % 3], 1u) == gridDim.x - 1;
    __syncthreads();
    if (shared->number == 0)
        return;
    n = grid_read(&p.n_all[turn % 3]);
    if (n == 0)
        return;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        shared->n_launched = nested_ask(p.nested, turn, &shared->block) >= 0 &&
                             nested_launch(op, p, 0, p.all, n);
        shared->block.inlined += shared->n_launched == 0;
    }
    __syncthreads();
    for (unsigned k = 0; k < n && shared->n_launched == 0; k++)
        nested_item<GRID_THREADS>(op, grid_read(&p.all[k]), shared->sums);
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
    __syncwarp();
    if (p.level == GRAPH_CONSOLIDATE_WARP) {
        const bool is_launched = nested_by_warp(op, p, is_item, u, turn, &shared->block);

        is_item = is_item && !is_launched;
    } else if (is_item && p.level == GRAPH_CONSOLIDATE_NONE) {
        is_item = !nested_launch_item(op, p, u, turn, &shared->block);
    } else if (is_item && p.level == GRAPH_CONSOLIDATE_GRID) {
        grid_write(&p.all[grid_append(&p.n_all[turn % 3])], u);
        is_item = false;
    }
    if (is_item)
        shared->items[atomicAdd(&shared->n, 1u)] = u;
    __syncthreads();
    if (p.level == GRAPH_CONSOLIDATE_BLOCK)
        nested_by_block(op, p, turn, shared);
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
    if (grid_is_first()) {
        nested_allow(p.nested, turn);
        p.n_all[(turn + 1) % 3] = p.n_blocks[(turn + 1) % 3] = 0;
    }
    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads())
        nested_tile(op, p, loop_node(set, tile + threadIdx.x), turn, shared);
    if (p.level == GRAPH_CONSOLIDATE_GRID)
        nested_by_grid(op, p, turn, shared);
    op.block_end();
    nested_block_end(p.nested, shared->block, false);
}

/* The grid of kernels for buffers. */
template <class OP>
status_t nested_child_grid(const graph_run_t *run, int n_cores, nested_items_t *p)
{
    static const int parts[] = {1, 32, 16, 1}; /* by level */
    const graph_child_t &child = run->child;
    int per_core = 0, blocks = child.blocks;
    status_t st = ST_OK;

    p->threads =
        child.kind == GRAPH_CHILD_FIXED ? static_cast<unsigned>(child.threads) : 64;
    if (run->loop_template == GRAPH_DPAR_OPT || child.kind == GRAPH_CHILD_1_1) {
        blocks = 0;
    } else if (child.kind != GRAPH_CHILD_FIXED) {
        st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_core, nested_items_kernel<64, OP>, 64, 0));
        blocks = per_core * n_cores /
                 (child.kind == GRAPH_CHILD_KC ? child.blocks : parts[p->level]);
        blocks = blocks > 0 ? blocks : 1;
    }
    p->blocks = static_cast<unsigned>(blocks);
    return st;
}

/* Allocate what nested_run needs. @param OP  the operation */
template <class OP> status_t nested_items_create(cuda_state_t *s, nested_items_t *p)
{
    const graph_run_t *run = s->context.run;
    const unsigned most = GRID_THREADS;
    status_t st = nested_create(run, &s->memory, &p->nested);

    p->level =
        run->loop_template == GRAPH_DPAR_OPT ? GRAPH_CONSOLIDATE_BLOCK : run->consolidate;
    p->lb_threshold = run->lb_threshold > 0 ? static_cast<uint32_t>(run->lb_threshold)
                                            : CUDA_LB_THRESHOLD;
    p->buffer = run->buffer > 0 && run->buffer < GRID_THREADS
                    ? static_cast<unsigned>(run->buffer)
                    : most;
    if (st != ST_OK || (st = nested_child_grid<OP>(run, cuda_cores(s), p)) != ST_OK ||
        (st = cuda_memory_new(&s->memory,
                              static_cast<int64_t>(p->nested.max_allowed) * GRID_THREADS,
                              &p->buffers)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, s->g.n_nodes, &p->all)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, 6, &p->n_all)) != ST_OK)
        return st;
    p->n_blocks = p->n_all + 3;
    return ST_OK;
}

inline status_t nested_items_begin(const nested_items_t &p)
{
    status_t st = nested_begin(p.nested);

    return st == ST_OK ? CUDA_TRY(cudaMemsetAsync(p.n_all, 0, 6 * sizeof(*p.n_all))) : st;
}

/* @return the blocks of a grid for nested_run: no more than there is work for */
inline int nested_blocks(const cuda_state_t *s)
{
    const int per_node = s->g.n_nodes / GRID_THREADS + 1;
    const int resident = GRID_BLOCKS_PER_CORE * cuda_cores(s);

    return per_node < resident ? per_node : resident;
}
