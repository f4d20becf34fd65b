/*
 * tiled_kernel.cu - the kernels of tiled-dscan.
 *
 * tiled_line_kernel and tiled_finish_kernel, before and after the sweeps: a block per
 * pair. tiled_sweep_kernel: a warp sweeps one strip after the other and always takes the
 * next in the order of tiled_launch_t.  So the strip above its own is finished or is
 * being swept by a running warp, and no warp waits forever.  tiled_trace_kernel: a warp
 * per pair.
 */
#include "kernels/align/tiled/tiled_launch.cuh"

#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/tiled/tiled_finish.cuh"
#include "kernels/align/tiled/tiled_sweep.cuh"

namespace
{

enum { FINISH_BLOCK = 512 };

__global__ void __launch_bounds__(FINISH_BLOCK)
    tiled_line_kernel(const __grid_constant__ tiled_launch_t p)
{
    const tiled_pair_t pair = p.pairs[blockIdx.x];

    for (int side = 0; side < (pair.line[1] != pair.line[0] ? 2 : 1); side++) {
        set_line(p, pair, side, static_cast<int>(threadIdx.x), FINISH_BLOCK);
        set_codes(p, pair, side, static_cast<int>(threadIdx.x), FINISH_BLOCK);
    }
}

/* @return the level of a strip, which is its number in its sweep */
__device__ int level_of(const tiled_launch_t &p, int index)
{
    int low = 0, high = p.n_levels - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;

        if (p.level_start[middle] <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <typename CELL, bool TRACED>
__device__ void run_strip(const tiled_launch_t &p, const tiled_job_t &job, int strip,
                          char *shared, int lane)
{
    sweep_strip<CELL, TRACED>(p, job, strip,
                              reinterpret_cast<tiled_shared_t<CELL> *>(shared), lane);
}

template <int KIND> __host__ __device__ constexpr size_t shared_bytes()
{
    if constexpr (KIND == TILED_SCORE2)
        return sizeof(tiled_shared_t<pair_cell_t<false>>);
    else
        return sizeof(tiled_shared_t<key_cell_t<KIND>>);
}

template <int KIND, bool TRACED>
__global__ void __launch_bounds__(TILED_BLOCK)
    tiled_sweep_kernel(const __grid_constant__ tiled_launch_t p)
{
    __shared__ alignas(16) char traced[TILED_WARPS][shared_bytes<KIND>()];
    const int lane = static_cast<int>(threadIdx.x) % TILED_WARP;
    char *shared = traced[threadIdx.x / TILED_WARP];
    const int n_strips = p.level_start[p.n_levels];

    for (;;) {
        int index = lane == 0 ? atomicAdd(p.next, 1) : 0;

        index = lane_read(index, 0);
        if (index >= n_strips)
            return;
        const int strip = level_of(p, index);
        const tiled_job_t job = p.jobs[index - p.level_start[strip]];

        if constexpr (KIND != TILED_SCORE2)
            run_strip<key_cell_t<KIND>, TRACED>(p, job, strip, shared, lane);
        else if (p.pairs[job.pair].bases_only)
            run_strip<pair_cell_t<true>, TRACED>(p, job, strip, shared, lane);
        else
            run_strip<pair_cell_t<false>, TRACED>(p, job, strip, shared, lane);
    }
}

/* @return the maximum over the block, in all threads */
__device__ unsigned long long greatest(unsigned long long x, unsigned long long *of_warps)
{
    const int warp = static_cast<int>(threadIdx.x) / TILED_WARP;

    for (int distance = TILED_WARP / 2; distance > 0; distance /= 2)
        x = max(x, __shfl_xor_sync(TILED_ALL, x, distance));
    __syncthreads();
    of_warps[warp] = x;
    __syncthreads();
    for (int k = 0; k < FINISH_BLOCK / TILED_WARP; k++)
        x = max(x, of_warps[k]);
    return x;
}

__global__ void __launch_bounds__(FINISH_BLOCK)
    tiled_finish_kernel(const __grid_constant__ tiled_launch_t p)
{
    __shared__ unsigned long long of_warps[FINISH_BLOCK / TILED_WARP];
    const int thread = static_cast<int>(threadIdx.x);

    for (int k = static_cast<int>(blockIdx.x); k < p.n_pairs;
         k += static_cast<int>(gridDim.x)) {
        const tiled_pair_t pair = p.pairs[k];
        const unsigned long long best =
            greatest(best_key(p, pair, thread, FINISH_BLOCK), of_warps);

        if (thread == 0)
            write_result(p, pair, best);
        if (p.ends == nullptr)
            continue;
        const unsigned long long end =
            greatest(last_end(p, pair, best, thread, FINISH_BLOCK), of_warps);

        if (thread == 0)
            p.ends[k] = end;
    }
}

__global__ void __launch_bounds__(TILED_WARP)
    tiled_trace_kernel(const __grid_constant__ tiled_launch_t p)
{
    __shared__ unsigned patch[CUDA_CIGAR_PATCH * CUDA_CIGAR_PATCH];
    const int lane = static_cast<int>(threadIdx.x);
    const tiled_pair_t pair = p.pairs[blockIdx.x];
    const unsigned long long end = p.ends[blockIdx.x];
    const unsigned long long width = static_cast<unsigned long long>(pair.n) + 1;

    if (!cuda_cigar_exists(p.layout.ends_free, p.min_overlap, p.columns[pair.index],
                           pair.m, pair.n))
        return;
    const int n_runs =
        cuda_cigar_trace(blocks_of(p, pair), pair.m, pair.n,
                         static_cast<int>(end / width), static_cast<int>(end % width),
                         cuda_path_ops(p.column_ops, pair.mirrored), lane, patch,
                         p.runs + p.trace_start[pair.index]);

    if (lane == 0)
        p.n_runs[pair.index] = n_runs;
}

using kernel_t = void (*)(tiled_launch_t);

kernel_t kernel_of(const tiled_layout_t *layout, bool traced)
{
    switch (layout->kind) {
    case TILED_SCORE2:
        return tiled_sweep_kernel<TILED_SCORE2, false>;
    case TILED_KEY:
        return traced ? tiled_sweep_kernel<TILED_KEY, true>
                      : tiled_sweep_kernel<TILED_KEY, false>;
    case TILED_KEY64:
        return traced ? tiled_sweep_kernel<TILED_KEY64, true>
                      : tiled_sweep_kernel<TILED_KEY64, false>;
    default:
        return traced ? tiled_sweep_kernel<TILED_KEY64_STEPS, true>
                      : tiled_sweep_kernel<TILED_KEY64_STEPS, false>;
    }
}

} // namespace

status_t tiled_kernel_blocks(const tiled_layout_t *layout, bool traced,
                             const device_t *device, int *n_blocks)
{
    return cuda_occupancy_blocks(kernel_of(layout, traced), TILED_BLOCK, device,
                                 n_blocks);
}

status_t tiled_kernel_run(const tiled_launch_t &launch, int n_blocks, cudaStream_t stream)
{
    const unsigned n_pairs = static_cast<unsigned>(launch.n_pairs);
    const bool traced = launch.ends != nullptr;
    status_t st;

    tiled_line_kernel<<<n_pairs, FINISH_BLOCK, 0, stream>>>(launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    kernel_of(&launch.layout,
              traced)<<<static_cast<unsigned>(n_blocks), TILED_BLOCK, 0, stream>>>(
        launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    tiled_finish_kernel<<<n_pairs, FINISH_BLOCK, 0, stream>>>(launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK || !traced)
        return st;
    tiled_trace_kernel<<<n_pairs, TILED_WARP, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
