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
#include "kernels/align/rscan/rscan_packed.cuh"

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
__device__ inline void widen(const rscan_launch_t &p, const padded_pair_t &h,
                             packed_pairs_t *item)
{
    int low = RSCAN_WHOLE, high = RSCAN_WHOLE;

    if (p.round == RSCAN_GUARD || p.round == RSCAN_WIDER ||
        (p.round == RSCAN_FIRST && (p.guard == 0 || p.bounded))) {
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

/* Four columns' offsets, of both halves. @tparam FRONT  pads may stand among them: in few
 * columns, so that a branch is cheaper than what tells for each half */
template <int KIND, bool FRONT>
__device__ inline uint2 offsets_at(const columns_t &columns, int column)
{
    constexpr bool TWO = KIND == RSCAN_SCORE2;
    uint2 letters = {};

    if (FRONT && column < columns.max_pads) {
        letters.x = column_letters(columns, 0, column);
        if (TWO)
            letters.y = column_letters(columns, 1, column);
    } else {
        letters.x = *reinterpret_cast<const unsigned *>(columns.at[0] + column);
        if (TWO)
            letters.y = *reinterpret_cast<const unsigned *>(columns.at[1] + column);
    }
    return uint2{offsets_of<KIND>(letters.x), offsets_of<KIND>(letters.y)};
}

/*
 * Columns from..to-1, both multiples of GROUP, of the rows that a thread holds.
 *
 * @param bonus  with GUARD, what is added to the cells of the row above
 */
template <int KIND, bool GUARD, bool PADS, bool LAST, bool FRONT>
__device__ void sweep_columns(const rscan_launch_t &p, const unsigned *table,
                              const packed_pairs_t &item, thread_t<KIND> &s, int from,
                              int to, typename kind_t<KIND>::word *line, unsigned most2,
                              unsigned bonus)
{
    using word = typename kind_t<KIND>::word;
    const columns_t columns = columns_of(item);
    const int n_pads = item.half[0].row_pads - s.row0;
    word ahead[GROUP];

    line += static_cast<long long>(from) * WARP;
#pragma unroll
    for (int i = 0; i < GROUP; i++)
        ahead[i] = line[i * WARP];
    for (int j = from; j < to; j += GROUP, line += GROUP * WARP) {
        const uint2 at = offsets_at<KIND, FRONT>(columns, j);
        word up[GROUP];

#pragma unroll
        for (int i = 0; i < GROUP; i++)
            up[i] = GUARD ? ahead[i] + bonus : ahead[i];
        if (j + GROUP < to) {
#pragma unroll
            for (int i = 0; i < GROUP; i++)
                ahead[i] = line[(GROUP + i) * WARP];
        }
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            if (kind_t<KIND>::SETS && j + i < columns.pads[0]) {
                s.diagonal = up[i]; /* a pad adds nothing: the left border goes on */
                line[i * WARP] = s.left[shape_t<KIND>::ROWS - 1];
                continue;
            }
            step_column<KIND, shape_t<KIND>::ROWS, PADS>(
                p, s.rows, s.left, s.diagonal, up[i],
                column_of<KIND>(table, at.x, at.y, i), n_pads);
            line[i * WARP] = up[i];
            if (LAST)
                end_in_row<KIND, shape_t<KIND>::ROWS>(p, item, s, up[i], j + i, most2);
        }
    }
}

/* The columns of the guarded region, of rows from row0 on: see sweep_guarded. */
struct region_t {
    int first, end;
};

constexpr int HALF = 16; /* of the rows that share a stretch, so that it fits the band */

__device__ inline region_t region_of(const packed_pairs_t &item, int row0)
{
    return region_t{row0 - max(item.low - HALF, 0) / GROUP * GROUP,
                    row0 + (item.high + HALF) / GROUP * GROUP};
}

/* The band that holds the region. */
__device__ inline void hold_region(packed_pairs_t *item, int rows)
{
    item->low = max(item->low - HALF, 0) + rows - 1;
    item->high += HALF - 1;
}

/*
 * All columns under guard.  A thread's rows have one stretch of columns in the region,
 * which moves as the rows do.  A path that leaves it is given 1: downwards, where cells
 * of the row above stand in its region but those below not; to the right, behind the last
 * column.  (A path outside may be given more. That proves less, but nothing wrong.)
 */
template <int KIND, bool PADS, bool LAST>
__device__ void sweep_guarded(const rscan_launch_t &p, const unsigned *table,
                              const packed_pairs_t &item, thread_t<KIND> &s,
                              typename kind_t<KIND>::word *line, unsigned most2)
{
    constexpr unsigned ONE = KIND == RSCAN_SCORE2 ? 0x10001 : 1;
    const region_t above = region_of(item, s.row0 - shape_t<KIND>::ROWS);
    const region_t here = region_of(item, s.row0);
    int from = 0;

#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        const int ends[] = {above.first, here.first, here.end, item.n_columns};
        const int to = min(max(ends[k], from), item.n_columns);

        if (k == 3 && from < to) {
#pragma unroll
            for (int r = 0; r < shape_t<KIND>::ROWS; r++)
                s.left[r] += ONE;
            s.diagonal += ONE;
        }
        sweep_columns<KIND, true, PADS, LAST, true>(p, table, item, s, from, to, line,
                                                    most2, k == 1 ? ONE : 0);
        if (k == 1 && from < to) /* into the region from within the one above */
            s.diagonal -= ONE;
        from = to;
    }
}

template <int KIND, bool GUARD, bool PADS, bool LAST>
__device__ void sweep_rows(const rscan_launch_t &p, const unsigned *table,
                           const packed_pairs_t &item, thread_t<KIND> &s, int from,
                           int to, typename kind_t<KIND>::word *line, unsigned most2)
{
    if constexpr (GUARD) {
        sweep_guarded<KIND, PADS, LAST>(p, table, item, s, line, most2);
    } else if constexpr (KIND == RSCAN_KEY) { /* other kinds have no registers for two */
        const int pads = (item.max_pads + GROUP - 1) / GROUP * GROUP;
        const int middle = min(max(pads, from), to);

        if (from < middle)
            sweep_columns<KIND, false, PADS, LAST, true>(p, table, item, s, from, middle,
                                                         line, most2, 0);
        if (middle < to)
            sweep_columns<KIND, false, PADS, LAST, false>(p, table, item, s, middle, to,
                                                          line, most2, 0);
    } else {
        sweep_columns<KIND, false, PADS, LAST, true>(p, table, item, s, from, to, line,
                                                     most2, 0);
    }
}

/* All of an item's matrix that lies in its band. */
template <int KIND, bool GUARD>
__device__ void sweep(const rscan_launch_t &p, const unsigned *table,
                      const packed_pairs_t &item, thread_t<KIND> &s,
                      typename kind_t<KIND>::word *line)
{
    using word = typename kind_t<KIND>::word;
    constexpr int ROWS = shape_t<KIND>::ROWS;
    const unsigned rows2 = most2_of(p, item.half[0].m, item.half[1].m);
    const unsigned columns2 = most2_of(p, item.half[0].n, item.half[1].n);

    const int top_end = GUARD ? region_of(item, 0).end : RSCAN_WHOLE;

    for (int j = 0; j < item.n_columns; j++) /* 0 holds for all that rows see later */
        line[static_cast<long long>(j) * WARP] =
            p.form.columns_free && (GUARD || j < ROWS + item.high + GROUP)
                ? borders<KIND, &padded_pair_t::column_pads>(p, item, j + 1, j >= top_end)
                : word(0);
    for (s.row0 = 0; s.row0 < item.n_rows; s.row0 += ROWS) {
        int from = GUARD ? 0 : s.row0 - item.low, to = s.row0 + ROWS + item.high;

        const bool out = GUARD && region_of(item, s.row0).first > 0;

        from = max(from, 0) / GROUP * GROUP;
        to = GUARD ? item.n_columns
                   : min((to + GROUP - 1) / GROUP * GROUP, item.n_columns);
        s.rows = rows_of<KIND, ROWS>(item, s.row0);
        s.diagonal = from > 0
                         ? line[static_cast<long long>(from - 1) * WARP]
                         : borders<KIND, &padded_pair_t::row_pads>(p, item, s.row0, out);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            s.left[r] =
                from > 0 ? word(0)
                         : borders<KIND, &padded_pair_t::row_pads>(p, item,
                                                                   s.row0 + r + 1, out);
        if (s.row0 + ROWS >= item.n_rows && p.form.columns_free)
            sweep_rows<KIND, GUARD, kind_t<KIND>::SETS, true>(p, table, item, s, from, to,
                                                              line, columns2);
        else if (kind_t<KIND>::SETS && s.row0 < item.half[0].row_pads)
            sweep_rows<KIND, GUARD, kind_t<KIND>::SETS, false>(p, table, item, s, from,
                                                               to, line, columns2);
        else
            sweep_rows<KIND, GUARD, false, false>(p, table, item, s, from, to, line,
                                                  columns2);
        if (p.form.rows_free && to == item.n_columns)
            end_in_column<KIND, ROWS>(p, item, s, rows2);
    }
}

template <int KIND, bool GUARD>
__device__ void align_item(const rscan_launch_t &p, const unsigned *table, int first,
                           int n, int k, typename kind_t<KIND>::word *line)
{
    packed_pairs_t item = item_of<KIND>(p, first, n, k, shape_t<KIND>::ROWS);
    thread_t<KIND> s;

    item.low = item.high = 0;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        widen(p, item.half[i], &item);
    item.low = cuda_warp_max(item.low);
    item.high = cuda_warp_max(item.high);
    item.max_pads = cuda_warp_max(item.max_pads);
    start_ends(p, item, s);
    sweep<KIND, GUARD>(p, table, item, s, line);
    if (GUARD && !is_whole(item))
        hold_region(&item, shape_t<KIND>::ROWS);
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
