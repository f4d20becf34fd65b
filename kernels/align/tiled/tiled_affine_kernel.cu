/*
 * tiled_affine_kernel.cu - the kernels of tiled-dscan with affine gaps.
 *
 * tiled_affine_kernel: a warp sweeps one strip after the other and always takes the next
 * in the order of pairs.  So the strip above its own is finished or is being swept by a
 * running warp, and no warp waits forever.  finish_kernel: a thread per pair.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/tiled/tiled_affine_lane.cuh"

namespace
{

constexpr int BLOCK = 128, BLOCKS = 3;

/* Data that other multiprocessors write while this kernel runs is read from L2. */
__device__ inline affine_line_t<unsigned> read_line(const affine_line_t<unsigned> *at)
{
    const uint2 v = __ldcg(reinterpret_cast<const uint2 *>(at));

    return {v.x, v.y};
}

__device__ inline affine_line_t<unsigned long long> read_line(
    const affine_line_t<unsigned long long> *at)
{
    const ulonglong2 v = __ldcg(reinterpret_cast<const ulonglong2 *>(at));

    return {v.x, v.y};
}

/* Wait until the strip above has written n columns; called by whole warps. */
__device__ inline void await_columns(const int *progress, int n)
{
    for (;;) {
        int done;

        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                     : "=r"(done)
                     : "l"(progress)
                     : "memory");
        if (__all_sync(ALL, done >= n))
            return;
        __nanosleep(100);
    }
}

/* Tell the strip below that n columns are written; called by whole warps. */
__device__ inline void tell_columns(int *progress, int n)
{
    if (threadIdx.x % WARP == WARP - 1)
        asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(progress), "r"(n)
                     : "memory");
}

/* Sweep strip k of the launch, which is strip `strip` of its pair. */
template <int KIND, typename TRACE>
__device__ void sweep_strip(const tiled_affine_launch_t &p,
                            const tiled_affine_pair_t &pair,
                            const tiled_word_t<KIND> *table, int k, int strip)
{
    using line_t = affine_line_t<tiled_word_t<KIND>>;
    const affine_pairs_t pairs = tiled_affine_pairs(p, pair);
    const unsigned char *columns = pairs.packed.pairs[0].column_end - pair.n;
    const bool is_last = (strip + 1) * AFFINE_STRIP == pairs.packed.n_rows;
    const int lane = threadIdx.x % WARP, n = pair.n;
    line_t *line = reinterpret_cast<line_t *>(p.lines) + pair.line;
    line_t bottom = {0, 0}, ahead = {0, 0};
    unsigned letter = 0, letter_ahead = 0;
    affine_lane_t<KIND> s;
    TRACE trace = {};

    affine_lane_start<KIND>(p.sweep, pairs, table, strip, lane, &s);
    for (int t = 0; t < n + WARP - 1; t++) {
        const int j = t - lane;

        if (t % WARP == 0) { /* the next 32 columns, for lane 0 */
            const int next = t + lane;

            letter_ahead = next < n ? columns[next] : 0;
            if (strip > 0 && t < n)
                await_columns(&p.progress[k - 1], min(t + WARP, n));
            if (next < n)
                ahead = strip > 0
                            ? read_line(&line[next])
                            : line_t{affine_border<KIND, AFFINE_COLUMNS>(p.sweep, pairs,
                                                                         next + 1),
                                     0};
        }
        const unsigned passed = __shfl_up_sync(ALL, letter, 1);
        const unsigned fresh = __shfl_sync(ALL, letter_ahead, t % WARP);
        const line_t above = affine_line_above(bottom),
                     first = affine_line_of(ahead, t % WARP);

        letter = lane == 0 ? fresh : passed;
        if (j >= 0 && j < n) {
            bottom = lane == 0 ? first : above;
            affine_lane_column<KIND>(p.sweep, pairs, s, j, letter, bottom, trace);
            if constexpr (TRACE::ON)
                p.directions[pair.directions + tiled_affine_at(n, strip, lane, j)] =
                    trace.back.at[0];
            if (lane == WARP - 1 && !is_last)
                line[j] = bottom;
        }
        if (!is_last && (t % WARP == WARP - 1 || t == n + WARP - 2))
            tell_columns(&p.progress[k], min(t - WARP + 2, n));
    }
    tiled_affine_end_t end = tiled_affine_finish<KIND>(p.sweep, pairs, s, trace);

    for (int d = WARP / 2; d > 0; d /= 2)
        end = tiled_affine_better(end, {__shfl_xor_sync(ALL, end.best, d),
                                        __shfl_xor_sync(ALL, end.place, d)});
    if (lane == 0)
        p.ends[k] = end;
}

/* @return the pair of strip k of the launch */
__device__ inline int pair_at(const tiled_affine_launch_t &p, int k)
{
    int low = 0, high = p.n_pairs - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;

        if (p.pairs[middle].first_strip <= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <int KIND, typename TRACE>
__global__ void __launch_bounds__(BLOCK, BLOCKS)
    tiled_affine_kernel(const __grid_constant__ tiled_affine_launch_t p)
{
    __shared__ tiled_word_t<KIND> table[AFFINE_TABLE];

    for (int i = threadIdx.x; i < AFFINE_TABLE; i += BLOCK)
        table[i] = static_cast<tiled_word_t<KIND>>(p.table[i]);
    __syncthreads();
    for (;;) {
        int k = threadIdx.x % WARP == 0 ? atomicAdd(p.next, 1) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= p.n_strips)
            return;
        const tiled_affine_pair_t pair = p.pairs[pair_at(p, k)];

        sweep_strip<KIND, TRACE>(p, pair, table, k, k - pair.first_strip);
        __syncwarp();
    }
}

template <int KIND>
__global__ void __launch_bounds__(BLOCK)
    finish_kernel(const __grid_constant__ tiled_affine_launch_t p)
{
    const int k = static_cast<int>(blockIdx.x * BLOCK + threadIdx.x);

    if (k < p.n_pairs)
        tiled_affine_store<KIND>(p, p.pairs[k]);
}

using kernel_t = void (*)(const tiled_affine_launch_t);

kernel_t kernel_of(int kind, bool traced)
{
    if (kind == AFFINE_TABLE32)
        return tiled_affine_kernel<AFFINE_TABLE32, affine_untraced_t<>>;
    return traced ? tiled_affine_kernel<AFFINE_TABLE64, tiled_traced_t>
                  : tiled_affine_kernel<AFFINE_TABLE64, affine_untraced_t<>>;
}

} // namespace

status_t tiled_affine_blocks(int kind, bool traced, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind, traced), BLOCK, device, out);
}

status_t tiled_affine_run(int kind, const tiled_affine_launch_t &launch, int n_blocks,
                          cudaStream_t stream)
{
    const unsigned n_pair_blocks =
        static_cast<unsigned>((launch.n_pairs + BLOCK - 1) / BLOCK);
    const kernel_t finish = kind == AFFINE_TABLE32 ? finish_kernel<AFFINE_TABLE32>
                                                   : finish_kernel<AFFINE_TABLE64>;
    status_t st;

    kernel_of(kind, launch.directions != nullptr)<<<n_blocks, BLOCK, 0, stream>>>(launch);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK)
        return st;
    finish<<<n_pair_blocks, BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
