/*
 * rscan_kernel.cu - an alignment a thread, row by row.
 *
 * A thread holds ROWS rows of its matrix in registers and sweeps them over the columns of
 * its band; the last row goes through memory, a line a thread, to the next ROWS.  The 32
 * threads of a warp have alike pairs, neighbours in their order, and one band: the union
 * of theirs.  Rows are padded in front to a multiple of ROWS, and where a word holds two
 * pairs their columns are padded in front to a multiple of 4: what is in front adds
 * nothing, and both end in one cell.
 *
 * What stands beside a band is taken as 0, or as the border's value, which gaps attain.
 */
#include "kernels/align/rscan_item.cuh"

namespace
{

template <int KIND> struct shape_t;
template <> struct shape_t<RSCAN_SCORE2> {
    static constexpr int ROWS = RSCAN_ROWS_SCORE2, BLOCKS = RSCAN_BLOCKS_SCORE2;
};
template <> struct shape_t<RSCAN_KEY> {
    static constexpr int ROWS = RSCAN_ROWS_KEY, BLOCKS = RSCAN_BLOCKS_KEY;
};
template <> struct shape_t<RSCAN_SETS> {
    static constexpr int ROWS = RSCAN_ROWS_SETS, BLOCKS = 4;
};

template <int KIND> using thread_t = sweep_t<KIND, shape_t<KIND>::ROWS>;

/* The band of a half in padded places. */
__device__ inline void widen(const rscan_launch_t &p, const half_t &h, item_t *item)
{
    int low = RSCAN_WHOLE, high = RSCAN_WHOLE;

    if (p.round == RSCAN_GUARD || (p.round == RSCAN_FIRST && p.guard == 0)) {
        const int w = p.guard > 0          ? (min(h.m, h.n) >= 3 * p.guard ? p.guard : -1)
                      : p.guess != nullptr ? p.guess[h.at]
                                           : -1;

        if (w >= 0) {
            low = w + max(h.m - h.n, 0);
            high = w + max(h.n - h.m, 0);
        }
    } else if (p.guard > 0 && (p.band[h.at].low != 0 || p.band[h.at].high != 0)) {
        low = p.band[h.at].low;
        high = p.band[h.at].high;
    }
    item->low = max(item->low, low + h.row_pads - h.column_pads);
    item->high = max(item->high, high + h.column_pads - h.row_pads);
}

__device__ inline int warp_max(int value)
{
    for (int d = WARP / 2; d > 0; d /= 2)
        value = max(value, __shfl_xor_sync(ALL, value, d));
    return value;
}

/* Columns from..to-1, both multiples of GROUP, of the rows that a thread holds. */
template <int KIND, bool PADS, out_t OUT, bool LAST>
__device__ void sweep_columns(const rscan_launch_t &p, const unsigned *table,
                              const item_t &item, thread_t<KIND> &s, int from, int to,
                              typename kind_t<KIND>::word *line, unsigned most2)
{
    using word = typename kind_t<KIND>::word;
    const int n_pads = item.half[0].row_pads - s.row0;
    word ahead[GROUP];

    line += static_cast<long long>(from) * WARP;
#pragma unroll
    for (int i = 0; i < GROUP; i++)
        ahead[i] = line[i * WARP];
    for (int j = from; j < to; j += GROUP, line += GROUP * WARP) {
        const unsigned a = offsets_of<KIND>(column_letters(item, 0, j));
        const unsigned b =
            KIND == RSCAN_SCORE2 ? offsets_of<KIND>(column_letters(item, 1, j)) : 0;
        word up[GROUP];

#pragma unroll
        for (int i = 0; i < GROUP; i++)
            up[i] = ahead[i];
        if (j + GROUP < to)
#pragma unroll
            for (int i = 0; i < GROUP; i++)
                ahead[i] = line[(GROUP + i) * WARP];
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            if (kind_t<KIND>::SETS && j + i < item.half[0].column_pads) {
                s.diagonal = up[i]; /* a pad adds nothing: the left border goes on */
                line[i * WARP] = s.left[shape_t<KIND>::ROWS - 1];
                continue;
            }
            step_column<KIND, shape_t<KIND>::ROWS, PADS, OUT>(
                p, s.rows, s.left, s.diagonal, up[i], column_of<KIND>(table, a, b, i),
                n_pads,
                j + i - s.row0 + (OUT == OUT_DOWN ? item.low + 1 : -item.high - 1));
            line[i * WARP] = up[i];
            if (LAST)
                end_in_row<KIND, shape_t<KIND>::ROWS>(p, item, s, up[i], j + i, most2);
        }
    }
}

/* Under guard the columns in which rows step out of the band go their own, slower way. */
template <int KIND, bool GUARD, bool PADS, bool LAST>
__device__ void sweep_rows(const rscan_launch_t &p, const unsigned *table,
                           const item_t &item, thread_t<KIND> &s, int from, int to,
                           typename kind_t<KIND>::word *line, unsigned most2)
{
    if constexpr (GUARD) {
        const int down = s.row0 - item.low - 1, right = s.row0 + item.high + 1;
        const int past = shape_t<KIND>::ROWS + GROUP - 1; /* the last row's column */
        int out = min(max(down / GROUP * GROUP, from), to);
        int in = min(max((down + past) / GROUP * GROUP, out), to);

        sweep_columns<KIND, PADS, OUT_NOT, LAST>(p, table, item, s, from, out, line,
                                                 most2);
        sweep_columns<KIND, PADS, OUT_DOWN, LAST>(p, table, item, s, out, in, line,
                                                  most2);
        out = min(max(right / GROUP * GROUP, in), to);
        sweep_columns<KIND, PADS, OUT_NOT, LAST>(p, table, item, s, in, out, line, most2);
        in = min(max((right + past) / GROUP * GROUP, out), to);
        sweep_columns<KIND, PADS, OUT_RIGHT, LAST>(p, table, item, s, out, in, line,
                                                   most2);
        from = in;
    }
    sweep_columns<KIND, PADS, OUT_NOT, LAST>(p, table, item, s, from, to, line, most2);
}

/* All of an item's matrix that lies in its band. */
template <int KIND, bool GUARD>
__device__ void sweep(const rscan_launch_t &p, const unsigned *table, const item_t &item,
                      thread_t<KIND> &s, typename kind_t<KIND>::word *line)
{
    using word = typename kind_t<KIND>::word;
    constexpr int ROWS = shape_t<KIND>::ROWS;
    const unsigned rows2 = most2_of(p, item.half[0].m, item.half[1].m);
    const unsigned columns2 = most2_of(p, item.half[0].n, item.half[1].n);

    for (int j = 0; j < item.n_columns; j++)
        line[static_cast<long long>(j) * WARP] = top_border<KIND>(p, item, j + 1);
    for (s.row0 = 0; s.row0 < item.n_rows; s.row0 += ROWS) {
        int from = GUARD ? 0 : s.row0 - item.low, to = s.row0 + ROWS + item.high;

        from = max(from, 0) / GROUP * GROUP;
        to = GUARD ? item.n_columns
                   : min((to + GROUP - 1) / GROUP * GROUP, item.n_columns);
        s.rows = rows_of<KIND, ROWS>(item, s.row0);
        s.diagonal = from > 0 ? line[static_cast<long long>(from - 1) * WARP]
                              : left_border<KIND>(p, item, s.row0);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            s.left[r] = from > 0 ? word(0) : left_border<KIND>(p, item, s.row0 + r + 1);
        if (s.row0 + ROWS >= item.n_rows && p.form.ends_free)
            sweep_rows<KIND, GUARD, kind_t<KIND>::SETS, true>(p, table, item, s, from, to,
                                                              line, columns2);
        else if (kind_t<KIND>::SETS && s.row0 < item.half[0].row_pads)
            sweep_rows<KIND, GUARD, kind_t<KIND>::SETS, false>(p, table, item, s, from,
                                                               to, line, columns2);
        else
            sweep_rows<KIND, GUARD, false, false>(p, table, item, s, from, to, line,
                                                  columns2);
        if (p.form.ends_free && to == item.n_columns)
            end_in_column<KIND, ROWS>(p, item, s, rows2);
    }
}

template <int KIND, bool GUARD>
__device__ void align_item(const rscan_launch_t &p, const unsigned *table, int first,
                           int n, int k, typename kind_t<KIND>::word *line)
{
    item_t item = item_of<KIND>(p, first, n, k, shape_t<KIND>::ROWS);
    thread_t<KIND> s;

    item.low = item.high = 0;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        widen(p, item.half[i], &item);
    item.low = warp_max(item.low);
    item.high = warp_max(item.high);
    item.most_pads = warp_max(item.most_pads);
    start_ends(p, item, s);
    sweep<KIND, GUARD>(p, table, item, s, line);
    if (k < n)
        settle_item(p, item, s, n - k);
}

template <int KIND, bool GUARD>
__global__ void __launch_bounds__(RSCAN_BLOCK, shape_t<KIND>::BLOCKS)
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
    const int first = first_of(p, KIND);

    if (!kind_t<KIND>::SETS)
        fill_table<KIND>(p, table.at);
    __syncthreads();
    for (;;) {
        int k = lane == 0 ? atomicAdd(&p.next[KIND], WARP * PAIRS) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= p.n_of_kind[KIND])
            return;
        align_item<KIND, GUARD>(p, table.at, first, p.n_of_kind[KIND], k + lane * PAIRS,
                                line);
        __syncwarp();
    }
}

using kernel_t = void (*)(const rscan_launch_t);

kernel_t kernel_of(int kind, bool guard)
{
    switch (kind) {
    case RSCAN_SCORE2:
        return guard ? rscan_kernel<RSCAN_SCORE2, true>
                     : rscan_kernel<RSCAN_SCORE2, false>;
    case RSCAN_KEY:
        return rscan_kernel<RSCAN_KEY, false>;
    default:
        return guard ? rscan_kernel<RSCAN_SETS, true> : rscan_kernel<RSCAN_SETS, false>;
    }
}

} // namespace

status_t rscan_blocks(int kind, bool guard, const device_t *device, int *out)
{
    int a_core = 0;
    status_t st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &a_core, reinterpret_cast<const void *>(kernel_of(kind, guard)), RSCAN_BLOCK, 0));

    *out = a_core * device->n_cores;
    return st;
}

status_t rscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    kernel_of(kind,
              launch.round == RSCAN_GUARD)<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
