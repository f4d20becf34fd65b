/*
 * affine_guard_kernel.cu - the kernel of rscan for scores with affine gaps in guarded
 * bands (affine_guard.cuh): two alignments, packed into words, per thread.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/rscan/affine_guard.cuh"

namespace
{

constexpr int GUARD_BLOCKS = 3, GUARD_WARPS = RSCAN_BLOCK / WARP;

/* Align pair k of the n pairs of the kind, and the next one. */
__device__ void align_guarded(const affine_launch_t &p, const unsigned *table, int n,
                              int k, guard_t g, guard_line_t *line)
{
    affine_pairs_t pairs = {pack_pairs<GUARD_KIND, false>(p.rounds, first_of(p.rounds), n,
                                                          k, GUARD_ROWS,
                                                          rows_choice(p.rounds)),
                            0, 0};
    packed_pairs_t *packed = &pairs.packed;
    guard_thread_t s;

    affine_pad<2>(&pairs, cuda_warp_max(packed->n_rows),
                  cuda_warp_max(packed->n_columns));
    packed->max_pads = cuda_warp_max(packed->max_pads);
    pairs.max_row_pads = cuda_warp_max(pairs.max_row_pads);
    guard_choose_columns(p, packed, &g);
    guard_sweep(p, table, pairs, &g, s, line);
    if (n > k)
        guard_store(p, *packed, g, s.best, n - k);
}

__global__ void __launch_bounds__(RSCAN_BLOCK, GUARD_BLOCKS)
    guard_kernel(const __grid_constant__ affine_launch_t p)
{
    __shared__ affine_table_t<GUARD_KIND> table;
    __shared__ unsigned masks[GUARD_WARPS][FLANK_MASKS];
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    guard_line_t *line = static_cast<guard_line_t *>(p.rounds.lines) +
                         warp * p.rounds.line_len * WARP + lane;
    guard_line_t *flanks = line + (p.rounds.line_len - 2 * p.flank_words) * WARP;
    const int n = p.rounds.n_of_kind[p.rounds.kind];
    guard_t g = {};

    if (!suits(p.rounds))
        return;
    g.masks = masks[threadIdx.x / WARP] + lane;
    g.left = flanks;
    g.right = flanks + static_cast<long long>(p.flank_words) * WARP;
    g.stride = WARP;
    guard_fill_masks(p, g.masks);
    affine_fill_table<GUARD_KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        int k = lane == 0 ? atomicAdd(&p.rounds.next[p.rounds.kind], WARP * 2) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        align_guarded(p, table.at, n, k + lane * 2, g, line);
        __syncwarp();
    }
}

} // namespace

status_t affine_guard_blocks(const device_t *device, int *out)
{
    return cuda_occupancy_blocks(guard_kernel, RSCAN_BLOCK, device, out);
}

status_t affine_guard_run(const affine_launch_t &launch, int n_blocks,
                          cudaStream_t stream)
{
    guard_kernel<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
