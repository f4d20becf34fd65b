/*
 * affine_trace_kernel.cu - CIGARs with affine gaps or priced ends, one per thread
 * (affine_trace.cuh).  As in affine_kernel.cu, the lanes of a warp pad their pairs to the
 * same size; they sweep the union of their bands.
 */
#include "kernels/align/affine/affine_trace.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"

namespace
{

constexpr int BLOCKS = 3;

struct launch_t {
    rscan_trace_launch_t trace;
    affine_launch_t sweep;
};

/* Pad a pair to the size of the warp's largest one, and shift its band accordingly. */
__device__ inline void pad_pair(affine_pairs_t *pairs, int n_rows, int n_columns)
{
    packed_pairs_t *packed = &pairs->packed;
    const padded_pair_t &pair = packed->pairs[0];
    const int before = pair.row_pads - pair.column_pads;

    affine_pad<1>(pairs, n_rows, n_columns);
    const int shift = pair.row_pads - pair.column_pads - before;

    packed->low += shift;
    packed->high -= shift;
}

/* Trace 32 pairs of the order, one per lane, or list their place as one whose band is too
 * large for `blocks`. */
__device__ void trace_place(const launch_t &p, const affine_key_t *table, int place,
                            int lane, affine_trace_warp_t &w)
{
    const rscan_trace_launch_t &t = p.trace;
    affine_pairs_t pairs = {traced_pair(t, place + lane), 0, 0};
    const padded_pair_t &pair = pairs.packed.pairs[0];
    const bool is_empty = pairs.packed.n_rows == 0;
    const int n_rows = cuda_warp_max(pairs.packed.n_rows);
    const int n_columns = cuda_warp_max(pairs.packed.n_columns);

    if (!is_empty)
        pad_pair(&pairs, n_rows, n_columns);
    pairs.packed.max_pads = cuda_warp_max(pairs.packed.max_pads);
    pairs.max_row_pads = cuda_warp_max(pairs.max_row_pads);
    if (!take_band(t, pairs.packed, place, n_rows, n_columns, &w) || is_empty)
        return;
    const bool mirrored = is_mirrored(t, pair.index);

    pairs.packed.low = w.low;
    pairs.packed.high = w.high;
    pairs.swapped = mirrored;
    const affine_trace_end_t end = affine_trace_sweep(p.sweep, table, pairs, w, WARP);

    const affine_back_bits_t bits = {&pair, &w, WARP};

    t.n_runs[pair.index] =
        affine_follow(pair, bits, affine_match_t{&p.sweep.layout.columns}, end,
                      cuda_path_ops(t.column_ops, mirrored),
                      t.runs + t.trace_start[pair.index]);
}

__global__ void __launch_bounds__(RSCAN_TRACE_BLOCK, BLOCKS)
    affine_trace_kernel(const __grid_constant__ launch_t p)
{
    __shared__ affine_table_t<AFFINE_TABLE_KEY> table;
    const rscan_trace_launch_t &t = p.trace;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_TRACE_BLOCK + threadIdx.x) / WARP;
    const int stride = t.list == nullptr ? WARP : 1;
    const int n = t.list == nullptr ? t.n : *t.n_list;
    affine_trace_warp_t w;

    affine_fill_table<AFFINE_TABLE_KEY>(p.sweep, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    w.line = static_cast<affine_line_t<affine_key_t> *>(t.scan.lines) +
             warp * t.scan.line_len * WARP + lane;
    w.blocks = static_cast<uint2 *>(t.blocks) + warp * t.blocks_len * WARP + lane;
    for (;;) {
        int k = lane == 0 ? atomicAdd(t.next, stride) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        trace_place(p, table.at, t.list == nullptr ? k : t.list[k], lane, w);
        __syncwarp();
    }
}

} // namespace

status_t affine_trace_blocks(const device_t *device, int *out)
{
    return cuda_occupancy_blocks(affine_trace_kernel, RSCAN_TRACE_BLOCK, device, out);
}

status_t affine_trace_run(const rscan_trace_launch_t &trace,
                          const affine_layout_t &layout, int n_blocks,
                          cudaStream_t stream)
{
    launch_t launch = {trace, {}};

    launch.sweep.rounds = trace.scan;
    affine_launch_set(AFFINE_TABLE_KEY, layout, &launch.sweep);
    affine_trace_kernel<<<static_cast<unsigned>(n_blocks), RSCAN_TRACE_BLOCK, 0,
                          stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
