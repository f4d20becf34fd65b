/*
 * dscan_kernel.cu - the kernel of dscan: one alignment per warp, along anti-diagonals.
 *
 * Lane l of a warp holds ROWS consecutive rows of the padded matrix (rscan_packed.cuh) in
 * registers.  It is one column behind lane l-1, and gets from it the cell above its first
 * row and the bases of the column.  The 32 ROWS rows of a warp are a strip; with 48 rows
 * per lane a strip holds a whole 16S gene.  The last row of a strip goes through memory,
 * one line per warp, to the next strip.  Rows are padded to whole strips: first come up
 * to two of 16 rows per lane, then those of 48.
 */
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/rscan/rscan_result.cuh"

namespace
{

/* Kinds of cells of long pairs. */
template <int KIND> constexpr bool HAS_LONG = KIND == RSCAN_KEY || KIND == RSCAN_SETS;

constexpr int ROWS_FEW = 16, ROWS_MANY = 48, FEW_IN_MANY = ROWS_MANY / ROWS_FEW;
static_assert(ROWS_MANY * WARP == DSCAN_STRIP_MAX, "the largest strip");
/* Measured costs of a column of both strips (H200). */
constexpr int COST_FEW = 7, COST_MANY = 15;

/* @return the bases of a column, as they go from lane to lane: offsets into the table, or
 *         with SETS a set */
template <int KIND>
__device__ inline unsigned letters_at(const packed_pairs_t &packed, int column)
{
    unsigned out = 0;

    if (column >= packed.n_columns)
        return 0;
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const padded_pair_t &pair = packed.pairs[i];
        const unsigned letter = column < pair.column_pads
                                    ? PAD_LETTER
                                    : pair.column_end[column - packed.n_columns];

        out |= offsets_of<KIND>(letter) << (16 * i);
    }
    return out;
}

template <int KIND>
__device__ inline column_t steps_at(const unsigned *table, unsigned letters)
{
    const char *at = reinterpret_cast<const char *>(table);

    if constexpr (kind_t<KIND>::SETS)
        return column_t{letters * 0x11111111u, 0};
    if constexpr (KIND == RSCAN_SCORE2)
        return column_t{*reinterpret_cast<const unsigned *>(at + (letters & 0xffff)),
                        *reinterpret_cast<const unsigned *>(at + (letters >> 16))};
    const uint2 steps = *reinterpret_cast<const uint2 *>(at + letters);

    return column_t{steps.x, steps.y};
}

/* @return what the strip whose first row is `strip` subtracts from h */
template <int KIND>
__device__ inline int base_of(const rscan_launch_t &p, const packed_pairs_t &packed,
                              int strip)
{
    const padded_pair_t &pair = packed.pairs[0];

    return HAS_LONG<KIND> && pair.m + pair.n > p.max_bases
               ? max(strip - pair.row_pads, 0) * static_cast<int>(p.layout.gap_cost)
               : 0;
}

/* @param n_above  columns of the strip above; cells behind them are taken to be 0
 * @return the cell above a strip's first row */
template <int KIND>
__device__ inline typename kind_t<KIND>::word above_at(
    const rscan_launch_t &p, const packed_pairs_t &packed, int strip, int column,
    int n_above, const typename kind_t<KIND>::word *line)
{
    if (strip == 0)
        return borders<KIND, &padded_pair_t::column_pads>(p, packed, column + 1, false);
    return column < n_above ? line[column] : 0;
}

/* Sweep the strip whose first row is `strip`.
 * @tparam BAND  whether the pair has a band; cells beside it are taken to be 0 */
template <int KIND, int ROWS, bool PADS, bool LAST, bool BAND>
__device__ void sweep_strip(const rscan_launch_t &p, const unsigned *table,
                            const packed_pairs_t &packed, thread_state_t<KIND, ROWS> &s,
                            int strip, typename kind_t<KIND>::word *line)
{
    using word = typename kind_t<KIND>::word;
    const int lane = threadIdx.x % WARP;
    /* pads in front of the first column are never skipped alone: they hold the border */
    const int from = BAND ? max(strip - packed.low, 0) / QUAD * QUAD : 0;
    const int n = BAND ? min(strip + ROWS * WARP + packed.high, packed.n_columns)
                       : packed.n_columns;
    /* columns of the strip above, which ends here */
    const int n_above = BAND ? min(strip + packed.high, packed.n_columns) : n;
    const unsigned max_gain2 = max_gain2_of(p, packed.pairs[0].n, packed.pairs[1].n);
    const int base = base_of<KIND>(p, packed, strip);
    const word less = static_cast<word>(base) << p.layout.h_shift;
    const word less_below =
        (static_cast<word>(base_of<KIND>(p, packed, strip + ROWS * WARP)) - base)
        << p.layout.h_shift;
    word bottom = 0, above = 0;
    unsigned letters = 0, ahead = 0;

    s.row0 = strip + lane * ROWS;
    s.rows = rows_of<KIND, ROWS>(packed, s.row0);
    s.diagonal = borders<KIND, &padded_pair_t::row_pads>(p, packed, s.row0, false) - less;
    if (BAND && from > 0)
        s.diagonal = lane > 0 ? word(0)
                              : above_at<KIND>(p, packed, strip, from - 1, n_above, line);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        s.left[r] = from > 0
                        ? word(0)
                        : borders<KIND, &padded_pair_t::row_pads>(p, packed,
                                                                  s.row0 + r + 1, false) -
                              less;
    for (int t = 0; t < n - from + WARP - 1; t++) {
        const int j = from + t - lane;

        if (t % WARP == 0) { /* the next 32 columns, for lane 0 */
            const int next = from + t + lane;

            ahead = letters_at<KIND>(packed, next);
            if (next < n)
                above = above_at<KIND>(p, packed, strip, next, n_above, line);
        }
        word up = __shfl_up_sync(ALL, bottom, 1);
        const word up0 = __shfl_sync(ALL, above, t % WARP);
        const unsigned passed = __shfl_up_sync(ALL, letters, 1);
        const unsigned fresh = __shfl_sync(ALL, ahead, t % WARP);

        letters = lane == 0 ? fresh : passed;
        up = lane == 0 ? up0 : up;
        if (j < from || j >= n)
            continue;
        if (kind_t<KIND>::SETS && j < packed.pairs[0].column_pads) {
            s.diagonal = up; /* a pad: cells pass unchanged */
            up = s.left[ROWS - 1];
        } else {
            step_column<KIND, ROWS, PADS>(p, s.rows, s.left, s.diagonal, up,
                                          steps_at<KIND>(table, letters),
                                          packed.pairs[0].row_pads - s.row0);
        }
        bottom = up;
        if (lane == WARP - 1 && !LAST)
            line[j] = max(bottom, less_below) - less_below;
        if (lane == WARP - 1 && LAST && p.layout.columns_free)
            end_in_row<KIND, ROWS>(p, packed, s, bottom, j, max_gain2, base);
    }
    if (p.layout.rows_free && n == packed.n_columns && from < n)
        end_in_column<KIND, ROWS>(p, packed, s,
                                  max_gain2_of(p, packed.pairs[0].m, packed.pairs[1].m),
                                  base);
    __syncwarp();
}

/* Find the best end of all lanes; all lanes get it. */
template <int KIND, int ROWS>
__device__ void gather_ends(const rscan_launch_t &p, const packed_pairs_t &packed,
                            thread_state_t<KIND, ROWS> &s)
{
    for (int d = WARP / 2; d > 0; d /= 2) {
        const end_t e = {__shfl_xor_sync(ALL, s.best.rank, d),
                         __shfl_xor_sync(ALL, s.best.matches, d),
                         __shfl_xor_sync(ALL, s.best.low, d),
                         __shfl_xor_sync(ALL, s.best.place, d),
                         __shfl_xor_sync(ALL, s.best.doubt, d)};

        s.best2 = __vmaxu2(s.best2, __shfl_xor_sync(ALL, s.best2, d));
        better_end(p, e, ends_of(packed.pairs[0]), &s.best);
    }
}

template <int KIND> constexpr bool HAS_MANY = KIND == RSCAN_SCORE2 || KIND == RSCAN_KEY;

/* Sweep the strips of ROWS rows per lane from row `from` to row `to`. */
template <int KIND, int ROWS, bool BAND>
__device__ void sweep_strips(const rscan_launch_t &p, const unsigned *table,
                             const packed_pairs_t &packed, thread_state_t<KIND, ROWS> &s,
                             int from, int to, typename kind_t<KIND>::word *line)
{
    constexpr bool PADS = kind_t<KIND>::SETS;

    for (int strip = from; strip < to; strip += ROWS * WARP)
        if (strip + ROWS * WARP < packed.n_rows)
            sweep_strip<KIND, ROWS, PADS, false, BAND>(p, table, packed, s, strip, line);
        else
            sweep_strip<KIND, ROWS, PADS, true, BAND>(p, table, packed, s, strip, line);
}

/* Store the results of pairs whose strips have been swept. */
template <int KIND, int ROWS>
__device__ void finish(const rscan_launch_t &p, const packed_pairs_t &packed,
                       thread_state_t<KIND, ROWS> &s, int n_left)
{
    if (p.layout.columns_free)
        gather_ends(p, packed, s);
    if (threadIdx.x % WARP == WARP - 1)
        store_results(p, packed, s, n_left);
    __syncwarp();
}

/* @return the cost of m rows, of which strips of ROWS_FEW are first and cost more per row
 */
template <int KIND> __device__ inline int rows_cost(int m)
{
    const int n_few = (m + ROWS_FEW * WARP - 1) / (ROWS_FEW * WARP);

    return HAS_MANY<KIND>
               ? n_few / FEW_IN_MANY * COST_MANY + n_few % FEW_IN_MANY * COST_FEW
               : n_few;
}

/* @return which sequence is the rows: the one with the cheaper strips */
template <int KIND, bool WINDOW>
__device__ inline rows_choice_t rows_choice_of(const rscan_launch_t &p, unsigned at)
{
    const pair_t pair = p.pairs[at];
    const int a = p.set.len[pair.query], b = p.set.len[pair.target];
    const int shorter = min(a, b), longer = max(a, b);

    if (HAS_LONG<KIND> && a + b > p.max_bases)
        return ROWS_LONGER_ALWAYS;
    return !WINDOW && static_cast<long long>(rows_cost<KIND>(longer)) *
                              (shorter + WARP - 1) <
                          static_cast<long long>(rows_cost<KIND>(shorter)) *
                              (longer + WARP - 1)
               ? ROWS_LONGER
               : ROWS_SHORTER;
}

/* Set the band to that of the pair's window. */
__device__ inline void band_of_window(const rscan_launch_t &p, packed_pairs_t *packed)
{
    const padded_pair_t &pair = packed->pairs[0];
    const rscan_band_t band = window_band_of(p, pair);

    packed->low = band.low + pair.row_pads - pair.column_pads;
    packed->high = band.high + pair.column_pads - pair.row_pads;
}

/* Align pair k of the n pairs of the kind, and the next one if a word holds two. */
template <int KIND, bool WINDOW>
__device__ void align_packed(const rscan_launch_t &p, const unsigned *table, int first,
                             int n, int k, typename kind_t<KIND>::word *line)
{
    packed_pairs_t packed =
        pack_pairs<KIND, WINDOW>(p, first, n, k, ROWS_FEW * WARP,
                                 rows_choice_of<KIND, WINDOW>(p, p.order[first + k]));
    const int first_many =
        HAS_MANY<KIND> ? packed.n_rows % (ROWS_MANY * WARP) : packed.n_rows;
    thread_state_t<KIND, ROWS_FEW> few;

    if (WINDOW)
        band_of_window(p, &packed);
    start_ends(p, packed, few);
    sweep_strips<KIND, ROWS_FEW, WINDOW>(p, table, packed, few, 0, first_many, line);
    if constexpr (HAS_MANY<KIND>) {
        if (first_many < packed.n_rows) {
            thread_state_t<KIND, ROWS_MANY> many;

            many.best = few.best;
            many.best2 = few.best2;
            sweep_strips<KIND, ROWS_MANY, WINDOW>(p, table, packed, many, first_many,
                                                  packed.n_rows, line);
            finish(p, packed, many, n - k);
            return;
        }
    }
    finish(p, packed, few, n - k);
}

template <int KIND, bool WINDOW>
__global__ void __launch_bounds__(RSCAN_BLOCK, HAS_MANY<KIND> ? 3 : 4)
    dscan_kernel(const rscan_launch_t p)
{
    __shared__ table_t<KIND> table;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_BLOCK + threadIdx.x) / WARP;
    typename kind_t<KIND>::word *line =
        static_cast<typename kind_t<KIND>::word *>(p.lines) + warp * p.line_len;
    const int first = first_of(p), n = p.n_of_kind[p.kind];

    if (!suits(p))
        return;
    if (!kind_t<KIND>::SETS)
        fill_table<KIND>(p, table.at, threadIdx.x, blockDim.x);
    __syncthreads();
    for (;;) {
        int k =
            threadIdx.x % WARP == 0 ? atomicAdd(&p.next[p.kind], kind_t<KIND>::PAIRS) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        align_packed<KIND, WINDOW>(p, table.at, first, n, k, line);
    }
}

using kernel_t = void (*)(const rscan_launch_t);

kernel_t kernel_of(int kind, rscan_round_t round)
{
    const bool window = rscan_has_windows(round);

    switch (kind) {
    case RSCAN_SCORE2:
        return dscan_kernel<RSCAN_SCORE2, false>;
    case RSCAN_KEY:
    case RSCAN_KEY_LONG:
        return window ? dscan_kernel<RSCAN_KEY, true> : dscan_kernel<RSCAN_KEY, false>;
    case RSCAN_SETS:
        return window ? dscan_kernel<RSCAN_SETS, true> : dscan_kernel<RSCAN_SETS, false>;
    default:
        return dscan_kernel<RSCAN_SETS64, false>;
    }
}

} // namespace

status_t dscan_blocks(int kind, const device_t *device, int *out)
{
    return cuda_occupancy_blocks(kernel_of(kind, RSCAN_ROUND_FIRST), RSCAN_BLOCK, device,
                                 out);
}

status_t dscan_run(int kind, const rscan_launch_t &launch, int n_blocks,
                   cudaStream_t stream)
{
    kernel_of(kind, launch.variant.round)<<<n_blocks, RSCAN_BLOCK, 0, stream>>>(launch);
    return CUDA_TRY(cudaGetLastError());
}
