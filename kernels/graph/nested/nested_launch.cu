/*
 * nested_launch.cu - how many launches are allowed, and what became of them, as text.
 */
#include "kernels/graph/nested/nested.cuh"

extern "C" {
#include "io/base/logmsg.h"
}

status_t nested_create(const graph_run_t *run, cuda_memory_t *memory, nested_t *out)
{
    const cudaLimit kind = cudaLimitDevRuntimePendingLaunchCount;
    size_t limit = static_cast<size_t>(run->tuning.pending);
    status_t st = limit > 0 ? CUDA_TRY(cudaDeviceSetLimit(kind, limit)) : ST_OK;

    if (st != ST_OK || (st = CUDA_TRY(cudaDeviceGetLimit(&limit, kind))) != ST_OK)
        return st;
    out->max_allowed = static_cast<unsigned>(limit / 2);
    return cuda_memory_new(memory, 1, &out->counts);
}

status_t nested_begin(const nested_t &n)
{
    nested_is_loaded();
    return CUDA_TRY(cudaMemsetAsync(n.counts, 0, sizeof(*n.counts)));
}

status_t nested_print(const nested_t &n, buf_t *out)
{
    nested_counts_t c = {};
    status_t st = cuda_get(&c, n.counts, 1);

    if (st != ST_OK)
        return st;
    if (c.asked != c.done + c.inlined) {
        log_error("the GPU lost %llu of %llu launches; report this error",
                  c.asked - c.done - c.inlined, c.asked);
        return ST_ELOST;
    }
    return buf_printf(out,
                      "launches: %llu asked, %llu done, %llu inlined; %llu atomics\n",
                      c.asked, c.done, c.inlined, c.atomics);
}
