/*
 * rscan_trace_kernel.cu - CIGARs, one per thread: a thread sweeps the band of its pair
 * (rscan_trace_launch.cuh), stores a direction of 2 bits per cell, and follows them back.
 *
 * As in rscan_kernel.cu, a thread holds ROWS rows and sweeps them over the columns of the
 * warp's band, and the last row goes through memory.  Cells are the 64-bit keys of SETS64
 * with the direction of their last step as two more low bits.  The preferred direction is
 * the greater number, so the maximum of the keys also breaks ties as nw_reference.h
 * demands.  The directions of a thread's ROWS rows in one column are one word.
 */
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/rscan/rscan_trace_pair.cuh"

namespace
{

constexpr int KIND = RSCAN_SETS64, ROWS = RSCAN_TRACE_ROWS, TAG_BITS = 2, BLOCKS = 4;
constexpr int AHEAD = 8; /* columns whose directions are prefetched */

using word = unsigned long long;

constexpr word TAGS = (1 << TAG_BITS) - 1;

/* The steps of a match and a mismatch, including their tags.  A step that is worse than
 * two gaps is taken as 0 (cell_layout.h); it has no tag, so that the gaps win the tie. */
struct steps_t {
    word match, mismatch;
};

struct trace_state_t {
    word left[ROWS], diagonal;
    rows_t<KIND, ROWS> rows;
    steps_t steps;
    long long rank; /* of the end: its score plus the gap cost of all bases */
    int matches, columns;
    bool rows_free, columns_free;
    int i, j; /* the last end with these numbers */
};

using warp_t = trace_warp_t<word, unsigned>;

/* Compute the cells of a column. @return their directions */
template <bool PADS>
__device__ inline unsigned trace_column(trace_state_t &s, word &up, unsigned letter,
                                        int n_pads)
{
    word before = s.diagonal;
    unsigned directions = 0;

    s.diagonal = up;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const unsigned meet = s.rows.at[r / 8] & letter & (0xfu << (4 * (r % 8)));
        word cell = before + (meet != 0 ? s.steps.match : s.steps.mismatch);

        if (PADS && r < n_pads)
            cell = before;
        cell = cuda_max_key(cuda_max_key(cell, s.left[r]), up | CUDA_UP);
        before = s.left[r];
        directions |= static_cast<unsigned>(cell & TAGS) << (TAG_BITS * r);
        up = s.left[r] = cell & ~TAGS;
    }
    return directions;
}

/* Let the path end at a cell if that has the pair's numbers.  The last such cell counts.
 */
__device__ inline void offer_end(const rscan_launch_t &p, trace_state_t &s, word cell,
                                 int i, int j, const ends_t &all)
{
    const cell_layout_t &f = p.layout;
    const word key = cell >> TAG_BITS;
    end_t e = {-1, 0, 0, 0, TIE_SURE};
    int doubt = TIE_SURE;

    if (static_cast<long long>(key >> f.h_shift) * f.unit +
            f.gap_cost * (all.n_bases - i - j) !=
        s.rank)
        return;
    offer(p, key, i + j, false, all, &e);
    if (e.matches == s.matches && columns_by_code(p, e, all, &doubt) == s.columns &&
        (i > s.i || (i == s.i && j > s.j))) {
        s.i = i;
        s.j = j;
    }
}

template <bool PADS, bool LAST>
__device__ void trace_columns(const rscan_launch_t &p, const packed_pairs_t &packed,
                              const warp_t &w, trace_state_t &s, int row0, int from,
                              int to)
{
    const padded_pair_t &pair = packed.pairs[0];
    const columns_t columns = columns_of(packed);
    const int n_pads = pair.row_pads - row0;
    word *line = w.line + static_cast<long long>(from) * WARP;
    unsigned *out = w.blocks + row0 / ROWS * w.width * WARP;

    for (int j = from; j < to; j += QUAD, line += QUAD * WARP, out += QUAD * WARP) {
        const unsigned letters = read_letters(columns, 0, j);
        word up[QUAD];

#pragma unroll
        for (int i = 0; i < QUAD; i++)
            up[i] = line[i * WARP];
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            if (j + i < pair.column_pads) { /* a pad: cells pass unchanged */
                s.diagonal = up[i];
                line[i * WARP] = s.left[ROWS - 1];
                continue;
            }
            out[i * WARP] =
                trace_column<PADS>(s, up[i],
                                   cuda_permute(letters, 0, 0x4440u + i) * 0x11111111u,
                                   n_pads);
            line[i * WARP] = up[i];
            if (LAST && s.columns_free)
                offer_end(p, s, up[i], pair.m, j + i - pair.column_pads + 1,
                          ends_of(pair));
        }
    }
}

__device__ inline word tagged_border(const rscan_launch_t &p, bool is_free, int k)
{
    return border<KIND>(p, is_free ? k : 0, 0) << TAG_BITS;
}

__device__ inline void start_rows(const rscan_launch_t &p, const packed_pairs_t &packed,
                                  const warp_t &w, trace_state_t &s, int row0, int from)
{
    const int before = row0 - packed.pairs[0].row_pads;

    s.rows = rows_of<KIND, ROWS>(packed, row0);
    s.diagonal = from > 0 ? w.line[static_cast<long long>(from - 1) * WARP]
                          : tagged_border(p, s.rows_free, before);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        s.left[r] = from > 0 ? 0 : tagged_border(p, s.rows_free, before + r + 1);
}

/* Offer the cells of the last column that a thread holds as ends. */
__device__ inline void offer_rows(const rscan_launch_t &p, const packed_pairs_t &packed,
                                  trace_state_t &s, int row0)
{
    const padded_pair_t &pair = packed.pairs[0];

#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (row0 + r >= pair.row_pads)
            offer_end(p, s, s.left[r], row0 + r - pair.row_pads + 1, pair.n,
                      ends_of(pair));
}

/* Sweep the whole band. */
__device__ void trace_rows(const rscan_launch_t &p, const packed_pairs_t &packed,
                           const warp_t &w, trace_state_t &s)
{
    const padded_pair_t &pair = packed.pairs[0];

    for (int j = 0; j < packed.n_columns; j++) /* 0 beside the band: below any path */
        w.line[static_cast<long long>(j) * WARP] =
            j < ROWS + w.high + QUAD
                ? tagged_border(p, s.columns_free, j + 1 - pair.column_pads)
                : 0;
    for (int row0 = 0; row0 < packed.n_rows; row0 += ROWS) {
        const int from = first_column(w, row0);
        const int to = end_column(w, row0, packed.n_columns);

        start_rows(p, packed, w, s, row0, from);
        if (row0 + ROWS >= packed.n_rows && p.layout.columns_free)
            trace_columns<true, true>(p, packed, w, s, row0, from, to);
        else if (row0 < pair.row_pads)
            trace_columns<true, false>(p, packed, w, s, row0, from, to);
        else
            trace_columns<false, false>(p, packed, w, s, row0, from, to);
        if (s.rows_free && to == packed.n_columns)
            offer_rows(p, packed, s, row0);
    }
}

/* Follow a path back through up to AHEAD columns of the ROWS rows that it is in. */
__device__ inline void follow_block(const packed_pairs_t &packed, const warp_t &w,
                                    cuda_path_t *path, unsigned ops, uint32_t *runs)
{
    const padded_pair_t &pair = packed.pairs[0];
    const int column = path->j - 1 + pair.column_pads;
    const int row0 = (path->i - 1 + pair.row_pads) / ROWS * ROWS;
    const int from = first_column(w, row0), first = max(from, pair.column_pads);
    const unsigned *at = w.blocks + (row0 / ROWS * w.width + column - from) * WARP;
    unsigned directions[AHEAD];
    bool inside = true;

#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        directions[k] = column - k >= first && column - k - from < w.width
                            ? at[-static_cast<long long>(k) * WARP]
                            : 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        for (bool same = true; inside && same;) {
            const int row = path->i - 1 + pair.row_pads - row0;
            const unsigned direction = directions[k] >> (TAG_BITS * row) & TAGS;

            cuda_path_step(path, runs, ops, direction);
            same = direction == CUDA_UP;
            inside = path->j > 0 && path->i - 1 + pair.row_pads >= row0 && path->i > 0;
        }
}

/* Follow the path of a pair back. @return the number of its runs */
__device__ int follow(const packed_pairs_t &packed, const warp_t &w,
                      const trace_state_t &s, unsigned ops, uint32_t *runs)
{
    const padded_pair_t &pair = packed.pairs[0];
    cuda_path_t path = {s.i, s.j, 0, 0};

    cuda_path_put(&path, runs, ops, CUDA_UP, pair.m - s.i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, pair.n - s.j);
    while (path.i > 0 && path.j > 0)
        follow_block(packed, w, &path, ops, runs);
    cuda_path_put(&path, runs, ops, CUDA_UP, path.i);
    cuda_path_put(&path, runs, ops, CUDA_LEFT, path.j);
    if (path.run != 0)
        runs[path.n_runs++] = path.run;
    return path.n_runs;
}

__device__ inline steps_t steps_of(const cell_layout_t &f)
{
    return steps_t{static_cast<word>(f.step_match) << TAG_BITS |
                       (f.match >= 0 ? CUDA_DIAGONAL_MATCH : 0),
                   static_cast<word>(f.step_mismatch) << TAG_BITS |
                       (f.mismatch >= 0 ? CUDA_DIAGONAL_MISMATCH : 0)};
}

__device__ void trace_pair(const rscan_trace_launch_t &p, const packed_pairs_t &packed,
                           const warp_t &w)
{
    const rscan_launch_t &scan = p.scan;
    const padded_pair_t &pair = packed.pairs[0];
    trace_state_t s;

    if (packed.n_rows == 0)
        return;
    const bool mirrored = is_mirrored(p, pair.index);

    /* in the layout, rows are the query's */
    s.rows_free = mirrored ? scan.layout.columns_free : scan.layout.rows_free;
    s.columns_free = mirrored ? scan.layout.rows_free : scan.layout.columns_free;
    s.steps = steps_of(scan.layout);
    s.rank = scan.score[pair.index] + scan.layout.gap_cost * (pair.m + pair.n);
    s.matches = scan.matches[pair.index];
    s.columns = scan.columns[pair.index];
    s.i = scan.layout.columns_free ? 0 : pair.m;
    s.j = scan.layout.columns_free ? 0 : pair.n;
    trace_rows(scan, packed, w, s);
    p.n_runs[pair.index] = follow(packed, w, s, cuda_path_ops(p.column_ops, mirrored),
                                  p.runs + p.trace_start[pair.index]);
}

/* Trace 32 pairs of the order, one per lane, or list their place as one whose band is too
 * large for `blocks`. */
__device__ void trace_place(const rscan_trace_launch_t &p, int place, int lane, warp_t &w)
{
    packed_pairs_t packed = traced_pair(p, place + lane);
    const int n_rows = cuda_warp_max(packed.n_rows);

    packed.max_pads = cuda_warp_max(packed.max_pads);
    if (n_rows == 0)
        return;
    if (take_band(p, packed, n_rows, cuda_warp_max(packed.n_columns), &w))
        trace_pair(p, packed, w);
    else
        list_large(p, place);
}

__global__ void __launch_bounds__(RSCAN_TRACE_BLOCK, BLOCKS)
    rscan_trace_kernel(const __grid_constant__ rscan_trace_launch_t p)
{
    const int lane = threadIdx.x % WARP;
    const long long warp =
        (static_cast<long long>(blockIdx.x) * RSCAN_TRACE_BLOCK + threadIdx.x) / WARP;
    const int stride = p.list == nullptr ? WARP : 1;
    const int n = p.list == nullptr ? p.n : *p.n_list;
    warp_t w;

    w.line = static_cast<word *>(p.scan.lines) + warp * p.scan.line_len * WARP + lane;
    w.blocks = static_cast<unsigned *>(p.blocks) + warp * p.blocks_len * WARP + lane;
    for (;;) {
        int k = lane == 0 ? atomicAdd(p.next, stride) : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        trace_place(p, p.list == nullptr ? k : p.list[k], lane, w);
        __syncwarp();
    }
}

/* Write the sort keys of all pairs, one thread per pair.  Pairs of similar width and
 * place of the band, and of similar length, get similar keys.  Wide bands, which take
 * long, come first; pairs without a CIGAR come last. */
__global__ void __launch_bounds__(RSCAN_TRACE_BLOCK)
    key_kernel(const __grid_constant__ rscan_trace_launch_t p, pair_order_key_t *keys,
               unsigned *order)
{
    constexpr int WIDTH_BITS = 12, LOW_BITS = 10, ROW_BITS = 10;
    const int k = static_cast<int>(blockIdx.x * RSCAN_TRACE_BLOCK + threadIdx.x);

    if (k >= p.n)
        return;
    const unsigned at = static_cast<unsigned>(k);
    const pair_t pair = p.scan.pairs[at];
    const int m = p.scan.set.len[pair.query], n = p.scan.set.len[pair.target];
    const bool mirrored = is_mirrored(p, at), traced = has_cigar(p, at);
    const int rows = mirrored ? n : m;
    const trace_band_t band =
        traced ? trace_band(p, at, rows, mirrored ? m : n) : trace_band_t{0, 0};
    const unsigned width = static_cast<unsigned>((band.low + band.high) / 8);
    const unsigned low = static_cast<unsigned>(band.low / 8);

    order[k] = at;
    keys[k] = !traced
                  ? 0
                  : min(width, (1u << WIDTH_BITS) - 1) << (LOW_BITS + ROW_BITS) |
                        min(low, (1u << LOW_BITS) - 1) << ROW_BITS |
                        min(static_cast<unsigned>(rows / ROWS) + 1, (1u << ROW_BITS) - 1);
}

} // namespace

status_t rscan_trace_blocks(const device_t *device, int *out)
{
    return cuda_occupancy_blocks(rscan_trace_kernel, RSCAN_TRACE_BLOCK, device, out);
}

status_t rscan_trace_keys(const rscan_trace_launch_t &launch, pair_order_key_t *keys,
                          unsigned *order, cudaStream_t stream)
{
    const unsigned n = static_cast<unsigned>(launch.n);

    key_kernel<<<(n + RSCAN_TRACE_BLOCK - 1) / RSCAN_TRACE_BLOCK, RSCAN_TRACE_BLOCK, 0,
                 stream>>>(launch, keys, order);
    return CUDA_TRY(cudaGetLastError());
}

status_t rscan_trace_kernel_run(const rscan_trace_launch_t &launch, int n_blocks,
                                cudaStream_t stream)
{
    rscan_trace_kernel<<<static_cast<unsigned>(n_blocks), RSCAN_TRACE_BLOCK, 0, stream>>>(
        launch);
    return CUDA_TRY(cudaGetLastError());
}
