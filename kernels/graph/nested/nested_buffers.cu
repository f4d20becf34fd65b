/*
 * nested_buffers.cu - memory for the buffers of consolidated launches, and the grids of
 * the kernels that read them.
 */
#include "kernels/graph/nested/nested_buffers.cuh"

#include <algorithm>
#include <atomic>

extern "C" {
#include "io/base/logmsg.h"
}

namespace
{

/* CUDA sets malloc's heap only before it has loaded a kernel that uses malloc, which all
 * kernels of this library are loaded with: whether a state of this process has been made.
 */
std::atomic<bool> is_loaded;

/* Give malloc a heap, unless it has to keep a smaller one. */
status_t set_heap(unsigned long long bytes)
{
    size_t heap = 0;
    status_t st = CUDA_TRY(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));

    if (st != ST_OK || heap >= bytes)
        return st;
    if (!is_loaded && cudaDeviceSetLimit(cudaLimitMallocHeapSize,
                                         static_cast<size_t>(bytes)) == cudaSuccess)
        return ST_OK;
    (void)cudaGetLastError(); /* of other kernels that were loaded before */
    log_warn("the GPU's malloc keeps its heap of %zu bytes; launches for which it has no "
             "room are inlined",
             heap);
    return ST_OK;
}

} // namespace

void nested_is_loaded()
{
    is_loaded = true;
}

status_t nested_buffers_create(const graph_run_t *run, const nested_t &nested,
                               int64_t max_grid, cuda_memory_t *memory,
                               nested_buffers_t *out)
{
    nested_buffers_t b = {};
    status_t st;

    b.level =
        run->loop_template == GRAPH_DPAR_OPT ? GRAPH_CONSOLIDATE_BLOCK : run->consolidate;
    b.allocator = run->allocator;
    b.max_items = run->buffer > 0 && run->buffer < NESTED_ITEMS
                      ? static_cast<unsigned>(run->buffer)
                      : static_cast<unsigned>(NESTED_ITEMS);
    b.max_grid = static_cast<unsigned>(max_grid);
    b.bytes = static_cast<unsigned long long>(run->pool_bytes > 0 ? run->pool_bytes
                                                                  : GRAPH_POOL_BYTES);
    if (b.level == GRAPH_CONSOLIDATE_NONE) {
        b.bytes = 0;
    } else if (b.allocator == GRAPH_ALLOCATOR_FIXED) {
        b.bytes = sizeof(int) * (b.level == GRAPH_CONSOLIDATE_GRID
                                     ? 2ull * b.max_grid
                                     : 1ull * nested.max_allowed * NESTED_ITEMS);
    } else {
        const unsigned long long head =
            b.allocator == GRAPH_ALLOCATOR_MALLOC ? sizeof(nested_head_t) : 0;
        const unsigned long long half =
            (std::max(b.bytes / 2, head) - head) / sizeof(int);

        b.max_grid =
            static_cast<unsigned>(std::min<unsigned long long>(half, b.max_grid));
    }
    st = b.allocator == GRAPH_ALLOCATOR_MALLOC
             ? set_heap(b.bytes)
             : cuda_memory_new(memory, static_cast<int64_t>(b.bytes), &b.pool);
    if (st != ST_OK || (st = cuda_memory_new(memory, 1, &b.fill)) != ST_OK)
        return st;
    nested_is_loaded();
    *out = b;
    return ST_OK;
}

status_t nested_buffers_begin(const nested_buffers_t &b)
{
    return CUDA_TRY(cudaMemsetAsync(b.fill, 0, sizeof(*b.fill)));
}

status_t nested_child_grid(const graph_run_t *run, const nested_buffers_t &b, int n_cores,
                           const void *kernel, nested_child_t *out)
{
    static const int parts[] = {1, 32, 16, 1}; /* by level */
    const graph_child_t &child = run->child;
    int per_core = 0, blocks = child.blocks;
    status_t st = ST_OK;

    if (run->loop_template == GRAPH_DPAR_OPT || child.kind == GRAPH_CHILD_1_1) {
        blocks = 0;
    } else if (child.kind != GRAPH_CHILD_FIXED) {
        st = CUDA_TRY(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, kernel, 64, 0));
        blocks = per_core * n_cores /
                 (child.kind == GRAPH_CHILD_KC ? child.blocks : parts[b.level]);
        blocks = blocks > 0 ? blocks : 1;
    }
    out->blocks = static_cast<unsigned>(blocks);
    out->threads =
        child.kind == GRAPH_CHILD_FIXED ? static_cast<unsigned>(child.threads) : 64;
    return st;
}
