/*
 * affine_trace_kernel.cu - CIGARs with affine gaps or priced ends, one per thread
 * (affine_trace.cuh), in keys of 32 bits where these decide.  As in affine_kernel.cu, the
 * lanes of a warp pad their pairs to the same size; they sweep the union of their bands.
 */
#include "kernels/align/affine/affine_trace.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"

namespace
{

constexpr int BLOCKS = 3, BLOCKS_32 = 4;

static_assert(AFFINE_TRACE_ROWS <= affine_tuning_t<RSCAN_KEY>::ROWS,
              "ties have room for the rows of a block");

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

/* KEY: list a pair for TABLE_KEY. */
__device__ inline void list_doubtful(const rscan_trace_launch_t &t, unsigned index)
{
    const rscan_list_t &list = t.scan.doubtful;

    list.pairs[atomicAdd(list.n, 1)] = index;
}

/* @return whether a pair is too long for KEY, or surely doubtful: wherever its
 *         path ends, P - Q >= T0 (affine_layout.cuh) */
__device__ inline bool is_doubtful(const launch_t &p, const padded_pair_t &pair)
{
    const affine_layout_t &f = p.sweep.layout;
    const int against = f.tie_columns ? min(pair.m, pair.n) : pair.n;

    return max(pair.m, pair.n) > p.trace.max_len ||
           p.trace.scan.columns[pair.index] - against >= f.tie_first;
}

/* Follow the path of a pair that has been swept. */
template <int KIND>
__device__ void follow_path(const launch_t &p, const affine_pairs_t &pairs,
                            const affine_trace_warp_t<KIND> &w, affine_trace_end_t end)
{
    const rscan_trace_launch_t &t = p.trace;
    const padded_pair_t &pair = pairs.packed.pairs[0];
    const affine_back_bits_t<KIND> bits = {&pair, &w, WARP};

    t.n_runs[pair.index] =
        affine_follow(pair, bits, affine_match_t{&p.sweep.layout.columns}, end,
                      cuda_path_ops(t.column_ops, pairs.swapped != 0),
                      t.runs + t.trace_start[pair.index]);
}

/* Trace 32 pairs of the order, one per lane, or list their place as one whose band is too
 * large for `blocks`.  KEY lists doubtful pairs for TABLE_KEY. */
template <int KIND>
__device__ void trace_place(const launch_t &p, const affine_entry_t<KIND> *table,
                            int place, int lane, affine_trace_warp_t<KIND> &w)
{
    const rscan_trace_launch_t &t = p.trace;
    affine_pairs_t pairs = {traced_pair(t, place + lane), 0, 0};
    const padded_pair_t &pair = pairs.packed.pairs[0];
    affine_trace_end_t end;

    if (AFFINE_HAS_TIES<KIND> && pairs.packed.n_rows > 0 && is_doubtful(p, pair)) {
        if (t.list == nullptr) /* the first launch has listed those of a list */
            list_doubtful(t, pair.index);
        pairs.packed.n_rows = pairs.packed.n_columns = pairs.packed.max_pads = 0;
    }
    const bool is_empty = pairs.packed.n_rows == 0;
    const int n_rows = cuda_warp_max(pairs.packed.n_rows);
    const int n_columns = cuda_warp_max(pairs.packed.n_columns);

    if (!is_empty)
        pad_pair(&pairs, n_rows, n_columns);
    pairs.packed.max_pads = cuda_warp_max(pairs.packed.max_pads);
    pairs.max_row_pads = cuda_warp_max(pairs.max_row_pads);
    if (n_rows == 0)
        return;
    if (!take_band(t, pairs.packed, n_rows, n_columns, &w)) {
        list_large(t, place);
        return;
    }
    if (is_empty)
        return;
    pairs.packed.low = w.low;
    pairs.packed.high = w.high;
    pairs.swapped = is_mirrored(t, pair.index);
    if (affine_trace_sweep<KIND>(p.sweep, table, pairs, w, WARP, &end))
        follow_path<KIND>(p, pairs, w, end);
    else
        list_doubtful(t, pair.index);
}

template <int KIND>
__global__ void __launch_bounds__(RSCAN_TRACE_BLOCK,
                                  KIND == RSCAN_KEY ? BLOCKS_32 : BLOCKS)
    affine_trace_kernel(const __grid_constant__ launch_t p)
{
    __shared__ affine_table_t<KIND> table;
    const rscan_trace_launch_t &t = p.trace;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_TRACE_BLOCK + threadIdx.x) / WARP;
    const int stride = t.list == nullptr ? WARP : 1;
    const int n = t.list == nullptr ? n_traced(t) : *t.n_list;
    affine_trace_warp_t<KIND> w;

    affine_fill_table<KIND>(p.sweep, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    w.line = static_cast<affine_trace_line_t<KIND> *>(t.scan.lines) +
             warp * t.scan.line_len * WARP + lane;
    w.blocks =
        static_cast<affine_trace_back_t *>(t.blocks) + warp * t.blocks_len * WARP + lane;
    for (;;) {
        int k = lane == 0 ? atomicAdd(t.next, stride) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        trace_place<KIND>(p, table.at, t.list == nullptr ? k : t.list[k], lane, w);
        __syncwarp();
    }
}

using kernel_t = void (*)(const launch_t);

kernel_t kernel_of(int kind)
{
    return kind == RSCAN_KEY ? affine_trace_kernel<RSCAN_KEY>
                             : affine_trace_kernel<AFFINE_TABLE_KEY>;
}

} // namespace

status_t affine_trace_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind), RSCAN_TRACE_BLOCK, device, out);
}

status_t affine_trace_run(int kind, const rscan_trace_launch_t &trace,
                          const affine_layout_t &layout, int n_blocks,
                          cudaStream_t stream)
{
    launch_t launch = {trace, {}};

    launch.sweep.rounds = trace.scan;
    affine_launch_set(kind, layout, &launch.sweep);
    kernel_of(kind)<<<static_cast<unsigned>(n_blocks), RSCAN_TRACE_BLOCK, 0, stream>>>(
        launch);
    return CUDA_TRY(cudaGetLastError());
}
