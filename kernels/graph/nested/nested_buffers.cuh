/*
 * nested_buffers.cuh - consolidation (Wu et al. 2016): what the threads of a warp, of a
 * block or of the grid would launch becomes one kernel, which finds its items in a
 * buffer.
 *
 * A buffer has a fixed place for each launch that is allowed, or comes from a pool, whose
 * bytes all buffers of an iteration share, or from malloc on the device.  Where it has no
 * room, a launch is inlined, and items that the grid's buffer does not hold count as
 * launches of their own.  The grid's buffer is one of two in turn, because kernels of a
 * recursion read one while they fill the other; by malloc, each iteration has its own.
 */
#pragma once

#include "kernels/graph/nested/nested.cuh"

/* Items of a warp's or a block's launch, at most; and of a block's threads. */
enum { NESTED_ITEMS = GRID_THREADS };

/* In device memory; elements of iterations in turn. */
struct nested_fill_t {
    unsigned long long used[3]; /* bytes of the pool; malloc: [0] of all buffers */
    unsigned n[3];              /* items of the grid, with those beyond its buffer */
    unsigned n_through[3];      /* blocks that ask for nothing more */
    unsigned long long grid[3]; /* malloc: the grid's buffer, or one of these: */
    enum : unsigned long long { NONE_YET, ON_ITS_WAY, NO_ROOM };
};

/* Passed to kernels by value. */
struct nested_buffers_t {
    graph_consolidate_t level;
    graph_allocator_t allocator;
    unsigned max_items;       /* of a warp's or block's launch */
    unsigned max_grid;        /* of the grid's */
    unsigned long long bytes; /* of the pool; of all buffers by malloc */
    char *pool;               /* fixed, pool */
    nested_fill_t *fill;
};

/* The grid of a kernel that is launched for a buffer. */
struct nested_child_t {
    unsigned blocks;  /* 0: one per item */
    unsigned threads; /* per block: 32, 64, 128 or 256 */
};

/* Items that a block has in shared memory. */
struct nested_list_t {
    unsigned n, n_launched; /* how many, and the first of them that have a kernel */
    int *buffer;            /* of the block's launch */
    bool is_last;           /* of the grid's blocks */
    int items[NESTED_ITEMS];
};

/* ---- buffers ---- */

/* What malloc gives begins with the number of blocks that have read it, and its size. */
struct nested_head_t {
    unsigned n_through, n_bytes;
    unsigned long long unused;
};

__device__ inline int *nested_malloc(const nested_buffers_t &b, unsigned n_items)
{
    const unsigned n_bytes =
        static_cast<unsigned>(sizeof(nested_head_t) + n_items * sizeof(int));
    nested_head_t *head = nullptr;

    if (atomicAdd(&b.fill->used[0], static_cast<unsigned long long>(n_bytes)) + n_bytes <=
        b.bytes)
        head = static_cast<nested_head_t *>(malloc(n_bytes));
    if (head == nullptr) {
        atomicAdd(&b.fill->used[0], 0ull - n_bytes);
        return nullptr;
    }
    head->n_through = 0;
    head->n_bytes = n_bytes;
    return reinterpret_cast<int *>(head + 1);
}

/* Free a buffer, unless it was not malloc that gave it. */
__device__ inline void nested_free(const nested_buffers_t &b, int *buffer)
{
    nested_head_t *head = reinterpret_cast<nested_head_t *>(buffer) - 1;

    if (b.allocator != GRAPH_ALLOCATOR_MALLOC || buffer == nullptr)
        return;
    atomicAdd(&b.fill->used[0], 0ull - grid_read(&head->n_bytes));
    free(head);
}

/* A block of a launched kernel has read its items; the last one frees the buffer. */
__device__ inline void nested_release(const nested_buffers_t &b, int *buffer)
{
    nested_head_t *head = reinterpret_cast<nested_head_t *>(buffer) - 1;

    if (b.allocator != GRAPH_ALLOCATOR_MALLOC || buffer == nullptr)
        return;
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&head->n_through, 1u) == gridDim.x - 1)
        nested_free(b, buffer);
}

/* Ask for a launch and its buffer. @return nullptr: there is none */
__device__ inline int *nested_ask_buffer(const nested_t &n, const nested_buffers_t &b,
                                         unsigned n_items, int turn,
                                         nested_block_t *block)
{
    const int number = nested_ask(n, turn, block);
    const unsigned n_bytes = n_items * static_cast<unsigned>(sizeof(int));
    unsigned long long at;

    if (number < 0)
        return nullptr;
    if (b.allocator == GRAPH_ALLOCATOR_MALLOC)
        return nested_malloc(b, n_items);
    at = b.allocator == GRAPH_ALLOCATOR_FIXED
             ? static_cast<unsigned long long>(number) * NESTED_ITEMS * sizeof(int)
             : atomicAdd(&b.fill->used[turn % 3],
                         static_cast<unsigned long long>(n_bytes));
    return at + n_bytes <= b.bytes ? reinterpret_cast<int *>(b.pool + at) : nullptr;
}

/* @return the grid's buffer, which the first caller gets; nullptr: there is none */
__device__ inline int *nested_grid_buffer(const nested_buffers_t &b, int turn)
{
    unsigned long long *at = &b.fill->grid[turn % 3], buffer;

    if (b.allocator != GRAPH_ALLOCATOR_MALLOC)
        return reinterpret_cast<int *>(b.pool) +
               static_cast<size_t>(turn % 2) * b.max_grid;
    buffer = atomicCAS(at, nested_fill_t::NONE_YET, nested_fill_t::ON_ITS_WAY);
    if (buffer == nested_fill_t::NONE_YET) {
        buffer = reinterpret_cast<unsigned long long>(nested_malloc(b, b.max_grid));
        buffer = buffer != 0 ? buffer : nested_fill_t::NO_ROOM;
        __threadfence();
        atomicExch(at, buffer);
    }
    while (buffer == nested_fill_t::ON_ITS_WAY)
        buffer = atomicAdd(at, 0ull);
    __threadfence();
    return buffer != nested_fill_t::NO_ROOM ? reinterpret_cast<int *>(buffer) : nullptr;
}

/* Begin an iteration: all threads of a block call, before any item. */
__device__ inline void nested_list_begin(const nested_t &n, const nested_buffers_t &b,
                                         int turn, nested_list_t *list)
{
    if (grid_is_first()) {
        const int next = (turn + 1) % 3;

        nested_allow(n, turn);
        b.fill->n[next] = b.fill->n_through[next] = 0;
        b.fill->grid[next] = nested_fill_t::NONE_YET;
        if (b.allocator == GRAPH_ALLOCATOR_POOL)
            b.fill->used[next] = 0;
    }
    if (threadIdx.x == 0 && b.level == GRAPH_CONSOLIDATE_GRID)
        list->buffer = nested_grid_buffer(b, turn);
    __syncthreads();
}

/* ---- levels: LAUNCH is bool(int *items, unsigned n), false where it was refused ---- */

/* A kernel for the items of a warp, whose lanes all call.
 * @return whether the item of this lane has a kernel */
template <class LAUNCH>
__device__ bool nested_by_warp(const nested_t &nested, const nested_buffers_t &b,
                               bool has, int u, int turn, nested_block_t *block,
                               LAUNCH launch)
{
    const unsigned all = __ballot_sync(ALL_LANES, has);
    const unsigned n = min(static_cast<unsigned>(__popc(all)), b.max_items);
    const unsigned mine = static_cast<unsigned>(__popc(all & ((1u << grid_lane()) - 1)));
    unsigned long long at = 0;
    int *buffer, is_launched = 0;

    if (all == 0)
        return false;
    if (grid_lane() == 0)
        at = reinterpret_cast<unsigned long long>(
            nested_ask_buffer(nested, b, n, turn, block));
    buffer = reinterpret_cast<int *>(__shfl_sync(ALL_LANES, at, 0));
    if (buffer != nullptr && has && mine < n)
        grid_write(&buffer[mine], u);
    __threadfence();
    __syncwarp();
    if (grid_lane() == 0) {
        is_launched = buffer != nullptr && launch(buffer, n);
        if (is_launched == 0) {
            atomicAdd(&block->inlined, 1u);
            nested_free(b, buffer);
        }
    }
    return __shfl_sync(ALL_LANES, is_launched, 0) != 0 && mine < n;
}

/* A kernel for the items of a list; all threads of its block call. */
template <class LAUNCH>
__device__ void nested_by_block(const nested_t &nested, const nested_buffers_t &b,
                                int turn, nested_block_t *block, nested_list_t *list,
                                LAUNCH launch)
{
    const unsigned n = min(list->n, b.max_items);

    if (n == 0)
        return;
    if (threadIdx.x == 0)
        list->buffer = nested_ask_buffer(nested, b, n, turn, block);
    __syncthreads();
    if (list->buffer != nullptr && threadIdx.x < n)
        grid_write(&list->buffer[threadIdx.x], list->items[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (list->buffer != nullptr && launch(list->buffer, n)) {
        list->n_launched = n;
    } else {
        block->inlined++;
        nested_free(b, list->buffer);
    }
}

/* Put an item into the grid's buffer. @return false: it is full, and a launch inlined */
__device__ inline bool nested_append(const nested_buffers_t &b, int u, int turn,
                                     nested_block_t *block, const nested_list_t *list)
{
    const unsigned at = grid_append(&b.fill->n[turn % 3]);
    const bool has_room = list->buffer != nullptr && at < b.max_grid;

    if (has_room) {
        grid_write(&list->buffer[at], u);
    } else {
        atomicAdd(&block->asked, 1u);
        atomicAdd(&block->inlined, 1u);
    }
    return has_room;
}

/*
 * One tile: an item, or none, per thread; all threads of the block call.  Without
 * consolidation nothing is launched.
 *
 * Afterwards the block has to take items n_launched to n-1 of the list.
 */
template <class LAUNCH>
__device__ void nested_consolidate(const nested_t &nested, const nested_buffers_t &b,
                                   bool is_item, int u, int turn, nested_block_t *block,
                                   nested_list_t *list, LAUNCH launch)
{
    if (threadIdx.x == 0)
        list->n = list->n_launched = 0;
    __syncthreads();
    if (b.level == GRAPH_CONSOLIDATE_WARP) {
        const bool is_launched =
            nested_by_warp(nested, b, is_item, u, turn, block, launch);

        is_item = is_item && !is_launched;
    } else if (b.level == GRAPH_CONSOLIDATE_GRID && is_item) {
        is_item = !nested_append(b, u, turn, block, list);
    }
    if (is_item)
        list->items[atomicAdd(&list->n, 1u)] = u;
    __syncthreads();
    if (b.level == GRAPH_CONSOLIDATE_BLOCK)
        nested_by_block(nested, b, turn, block, list, launch);
    __syncthreads();
}

/* A kernel for the items of the grid, by its last block; all threads of all blocks call,
 * after their last tile.
 * @return how many items of list->buffer the block has to take, and then to pass to
 *         nested_by_grid_end */
template <class LAUNCH>
__device__ unsigned nested_by_grid(const nested_t &nested, const nested_buffers_t &b,
                                   int turn, nested_block_t *block, nested_list_t *list,
                                   LAUNCH launch)
{
    unsigned n;

    if (b.level != GRAPH_CONSOLIDATE_GRID)
        return 0;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        list->is_last = atomicAdd(&b.fill->n_through[turn % 3], 1u) == gridDim.x - 1;
        list->n_launched = 0;
    }
    __syncthreads();
    if (!list->is_last || list->buffer == nullptr)
        return 0;
    n = min(grid_read(&b.fill->n[turn % 3]), b.max_grid);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (n > 0 && nested_ask(nested, turn, block) >= 0 && launch(list->buffer, n))
            list->n_launched = n;
        else
            block->inlined += n > 0;
        if (n == 0)
            nested_free(b, list->buffer);
    }
    __syncthreads();
    return n - list->n_launched;
}

/* The block has read the n items that it had to take. */
__device__ inline void nested_by_grid_end(const nested_buffers_t &b,
                                          const nested_list_t *list, unsigned n)
{
    __syncthreads();
    if (n > 0 && threadIdx.x == 0)
        nested_free(b, list->buffer);
}

/* ---- on the host ---- */

/* Allocate buffers, and read how large they are. @param max_grid  items of the grid */
status_t nested_buffers_create(const graph_run_t *run, const nested_t &nested,
                               int64_t max_grid, cuda_memory_t *memory,
                               nested_buffers_t *out) MUST_CHECK;

status_t nested_buffers_begin(const nested_buffers_t &b) MUST_CHECK;

/* The grid of kernels for buffers. @param kernel  of 64 threads per block */
status_t nested_child_grid(const graph_run_t *run, const nested_buffers_t &b, int n_cores,
                           const void *kernel, nested_child_t *out) MUST_CHECK;
