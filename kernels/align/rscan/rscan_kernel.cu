/*
 * rscan_kernel.cu - the kernel of rscan: one alignment per thread.
 *
 * A thread holds ROWS rows of its padded matrix (rscan_packed.cuh) in registers and
 * sweeps them over the columns of the band.  The last of these rows goes through memory,
 * one line per thread, to the next ROWS rows.  A warp takes 32 words of pairs that are
 * neighbours in the order of the round, hence similar, and sweeps one band: the union of
 * theirs.
 *
 * Cells beside the band are taken to be 0 or the value of the border, which gaps attain.
 * The band of a window may begin below or to the right of cell (0, 0); the rows or
 * columns in front of it are skipped.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/rscan/rscan_thread.cuh"

namespace
{

/* Extend the band of the thread's pairs by that of one of them. */
template <bool WINDOW>
__device__ inline void extend_band(const rscan_launch_t &p, const padded_pair_t &pair,
                                   packed_pairs_t *packed)
{
    const rscan_band_t band = WINDOW ? window_band_of(p, pair) : band_of(p, pair);

    packed->low = max(packed->low, band.low + pair.row_pads - pair.column_pads);
    packed->high = max(packed->high, band.high + pair.column_pads - pair.row_pads);
}

/*
 * Sweep the rows that a thread holds over columns from .. to - 1, multiples of QUAD.
 *
 * @param max_gain2  of max_gain2_of, for ends in the last row
 * @param bonus      with BOUND: added to the cells of the row above
 */
template <int KIND, bool BOUND, bool PADS, bool LAST, bool FRONT>
__device__ void sweep_columns(const rscan_launch_t &p, const unsigned *table,
                              const packed_pairs_t &packed, thread_t<KIND> &s, int from,
                              int to, typename kind_t<KIND>::word *line,
                              unsigned max_gain2, unsigned bonus)
{
    using word = typename kind_t<KIND>::word;
    const columns_t columns = columns_of(packed);
    const int n_pads = packed.pairs[0].row_pads - s.row0;
    word ahead[QUAD];

    line += static_cast<long long>(from) * WARP;
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        ahead[i] = line[i * WARP];
    for (int j = from; j < to; j += QUAD, line += QUAD * WARP) {
        const uint2 at = offsets_at<KIND, FRONT>(columns, j);
        word up[QUAD];

#pragma unroll
        for (int i = 0; i < QUAD; i++)
            up[i] = BOUND ? ahead[i] + bonus : ahead[i];
        if (j + QUAD < to) {
#pragma unroll
            for (int i = 0; i < QUAD; i++)
                ahead[i] = line[(QUAD + i) * WARP];
        }
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            if (kind_t<KIND>::SETS && j + i < columns.pads[0]) {
                s.diagonal = up[i]; /* a pad: cells pass unchanged */
                line[i * WARP] = s.left[tuning_t<KIND>::ROWS - 1];
                continue;
            }
            step_column<KIND, tuning_t<KIND>::ROWS, PADS>(
                p, s.rows, s.left, s.diagonal, up[i],
                column_of<KIND>(table, at.x, at.y, i), n_pads);
            line[i * WARP] = up[i];
            if (LAST)
                end_in_row<KIND, tuning_t<KIND>::ROWS>(p, packed, s, up[i], j + i,
                                                       max_gain2);
        }
    }
}

/* The columns of the inner region for the rows of a thread: see sweep_bound. */
struct region_t {
    int first, end;
};

/* Half of the rows that share a range of columns: it suits the middle one. */
constexpr int HALF_ROWS = 16;

__device__ inline region_t region_of(const packed_pairs_t &packed, int row0)
{
    return region_t{row0 - max(packed.low - HALF_ROWS, 0) / QUAD * QUAD,
                    row0 + (packed.high + HALF_ROWS) / QUAD * QUAD};
}

/* Set the band to the smallest one that contains the inner region, for whose paths the
 * bound holds. */
__device__ inline void band_around_region(packed_pairs_t *packed, int rows)
{
    packed->low = max(packed->low - HALF_ROWS, 0) + rows - 1;
    packed->high += HALF_ROWS - 1;
}

/*
 * Sweep all columns for RSCAN_ROUND_BOUND: a path gets 1 when it leaves the inner region.
 *
 * The inner region is the band in steps: the ROWS rows of a thread share one range of
 * columns, which moves on with them, and band_around_region gives the band that contains
 * it.  A path can leave the region downwards, in columns of the range above that are not
 * in the range here, or to the right, behind the last column of the range.  A path
 * outside may get more than 1, which weakens the bound but does not falsify it.
 * simd_diff_body.h, which calls this a guarded sweep, has the proof.
 */
template <int KIND, bool PADS, bool LAST>
__device__ void sweep_bound(const rscan_launch_t &p, const unsigned *table,
                            const packed_pairs_t &packed, thread_t<KIND> &s,
                            typename kind_t<KIND>::word *line, unsigned max_gain2)
{
    constexpr unsigned ONE = KIND == RSCAN_SCORE2 ? 0x10001 : 1;
    const region_t above = region_of(packed, s.row0 - tuning_t<KIND>::ROWS);
    const region_t here = region_of(packed, s.row0);
    int from = 0;

#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        const int ends[] = {above.first, here.first, here.end, packed.n_columns};
        const int to = min(max(ends[k], from), packed.n_columns);

        if (k == 3 && from < to) {
#pragma unroll
            for (int r = 0; r < tuning_t<KIND>::ROWS; r++)
                s.left[r] += ONE;
            s.diagonal += ONE;
        }
        sweep_columns<KIND, true, PADS, LAST, true>(p, table, packed, s, from, to, line,
                                                    max_gain2, k == 1 ? ONE : 0);
        if (k == 1 && from < to) /* this diagonal step stays inside */
            s.diagonal -= ONE;
        from = to;
    }
}

template <int KIND, bool BOUND, bool PADS, bool LAST>
__device__ void sweep_rows(const rscan_launch_t &p, const unsigned *table,
                           const packed_pairs_t &packed, thread_t<KIND> &s, int from,
                           int to, typename kind_t<KIND>::word *line, unsigned max_gain2)
{
    if constexpr (BOUND) {
        sweep_bound<KIND, PADS, LAST>(p, table, packed, s, line, max_gain2);
    } else if constexpr (KIND == RSCAN_KEY) { /* others have no registers for two loops */
        const int pads = (packed.max_pads + QUAD - 1) / QUAD * QUAD;
        const int middle = min(max(pads, from), to);

        if (from < middle)
            sweep_columns<KIND, false, PADS, LAST, true>(p, table, packed, s, from,
                                                         middle, line, max_gain2, 0);
        if (middle < to)
            sweep_columns<KIND, false, PADS, LAST, false>(p, table, packed, s, middle, to,
                                                          line, max_gain2, 0);
    } else {
        sweep_columns<KIND, false, PADS, LAST, true>(p, table, packed, s, from, to, line,
                                                     max_gain2, 0);
    }
}

/* Sweep the whole band. */
template <int KIND, bool BOUND>
__device__ void sweep(const rscan_launch_t &p, const unsigned *table,
                      const packed_pairs_t &packed, thread_t<KIND> &s,
                      typename kind_t<KIND>::word *line)
{
    using word = typename kind_t<KIND>::word;
    constexpr int ROWS = tuning_t<KIND>::ROWS;
    const unsigned row_gain2 = max_gain2_of(p, packed.pairs[0].m, packed.pairs[1].m);
    const unsigned column_gain2 = max_gain2_of(p, packed.pairs[0].n, packed.pairs[1].n);

    const int top_end = BOUND ? region_of(packed, 0).end : RSCAN_NO_BAND;

    /* beside the band: 0 is valid in all columns that later rows see */
    for (int j = 0; j < packed.n_columns; j++)
        line[static_cast<long long>(j) * WARP] =
            p.layout.columns_free && (BOUND || j < ROWS + packed.high + QUAD)
                ? borders<KIND, &padded_pair_t::column_pads>(p, packed, j + 1,
                                                             j >= top_end)
                : word(0);
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += ROWS) {
        int from = BOUND ? 0 : s.row0 - packed.low, to = s.row0 + ROWS + packed.high;

        const bool out = BOUND && region_of(packed, s.row0).first > 0;

        from = min(max(from, 0), packed.n_columns) / QUAD * QUAD;
        to = BOUND ? packed.n_columns
                   : min((to + QUAD - 1) / QUAD * QUAD, packed.n_columns);
        s.rows = rows_of<KIND, ROWS>(packed, s.row0);
        s.diagonal =
            from > 0 ? line[static_cast<long long>(from - 1) * WARP]
                     : borders<KIND, &padded_pair_t::row_pads>(p, packed, s.row0, out);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            s.left[r] =
                from > 0 ? word(0)
                         : borders<KIND, &padded_pair_t::row_pads>(p, packed,
                                                                   s.row0 + r + 1, out);
        if (s.row0 + ROWS >= packed.n_rows && p.layout.columns_free)
            sweep_rows<KIND, BOUND, kind_t<KIND>::SETS, true>(p, table, packed, s, from,
                                                              to, line, column_gain2);
        else if (kind_t<KIND>::SETS && s.row0 < packed.pairs[0].row_pads)
            sweep_rows<KIND, BOUND, kind_t<KIND>::SETS, false>(p, table, packed, s, from,
                                                               to, line, column_gain2);
        else
            sweep_rows<KIND, BOUND, false, false>(p, table, packed, s, from, to, line,
                                                  column_gain2);
        if (p.layout.rows_free && to == packed.n_columns)
            end_in_column<KIND, ROWS>(p, packed, s, row_gain2);
    }
}

/* Align pair k of the n pairs of the kind, and the next one if a word holds two.  A sweep
 * leaves no register free: of where these pairs stand in the order only n_left outlives
 * it, or SCORE2 would spill. */
template <int KIND, bool BOUND, bool WINDOW>
__device__ void align_packed(const rscan_launch_t &p, const unsigned *table, int n, int k,
                             typename kind_t<KIND>::word *line)
{
    packed_pairs_t packed =
        pack_pairs<KIND, WINDOW>(p, first_of(p), n, k, tuning_t<KIND>::ROWS);
    const int n_left = n - k;
    thread_t<KIND> s;

    packed.low = packed.high = WINDOW ? -RSCAN_NO_BAND : 0;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        extend_band<WINDOW>(p, packed.pairs[i], &packed);
    packed.low = cuda_warp_max(packed.low);
    packed.high = cuda_warp_max(packed.high);
    packed.max_pads = cuda_warp_max(packed.max_pads);
    start_ends(p, packed, s);
    sweep<KIND, BOUND>(p, table, packed, s, line);
    if (BOUND && !is_unbanded(packed))
        band_around_region(&packed, tuning_t<KIND>::ROWS);
    if (n_left > 0)
        store_results(p, packed, s, n_left);
}

template <int KIND, bool BOUND, bool WINDOW>
__global__ void __launch_bounds__(RSCAN_BLOCK, tuning_t<KIND>::BLOCKS)
    rscan_kernel(const rscan_launch_t p)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    __shared__ table_t<KIND> table;
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    typename kind_t<KIND>::word *line =
        static_cast<typename kind_t<KIND>::word *>(p.lines) + warp * p.line_len * WARP +
        lane;

    if (!suits(p))
        return;
    if (!kind_t<KIND>::SETS)
        fill_table<KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        const int k = take_pairs(p, WARP * PAIRS);

        if (k >= p.n_of_kind[p.kind])
            return;
        align_packed<KIND, BOUND, WINDOW>(p, table.at, p.n_of_kind[p.kind],
                                          k + lane * PAIRS, line);
        __syncwarp();
    }
}

using kernel_t = void (*)(const rscan_launch_t);

kernel_t kernel_of(int kind, rscan_round_t round)
{
    const bool bound = round == RSCAN_ROUND_BOUND, window = rscan_has_windows(round);

    switch (kind) {
    case RSCAN_SCORE2:
        return bound ? rscan_kernel<RSCAN_SCORE2, true, false>
                     : rscan_kernel<RSCAN_SCORE2, false, false>;
    case RSCAN_KEY:
    case RSCAN_KEY_LONG:
        return window ? rscan_kernel<RSCAN_KEY, false, true>
                      : rscan_kernel<RSCAN_KEY, false, false>;
    default:
        return bound    ? rscan_kernel<RSCAN_SETS, true, false>
               : window ? rscan_kernel<RSCAN_SETS, false, true>
                        : rscan_kernel<RSCAN_SETS, false, false>;
    }
}

} // namespace

status_t rscan_blocks(int kind, rscan_round_t round, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind, round), RSCAN_BLOCK, device, out);
}

status_t rscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    kernel_of(kind, launch.variant.round)<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
