/*
 * band_bound_sweep.cuh - a warp bounds the scores of the paths of 32 pairs that leave a
 * band.
 *
 * Definitions.  Rows i are the m bases of the query, columns j the n bases of the target;
 * cell (i, j) is behind i and j bases.  Ends are free: a path goes from (0, s) or (s, 0)
 * to (m, n - r) or (m - r, n), and skips s + r bases at its ends.  The band is
 *
 *    -low <= j - i <= high,  with low = w + max(m - n, 0), high = w + max(n - m, 0).
 *
 * A path leaves the band if any of its cells is outside.
 *
 * Costs.  Let B be the value of a mismatch and 2 B that of a match in gap-normalised
 * steps (cell_layout.h), c <= B the cost of a gap base, and K = B - c.  A path with e
 * edits (mismatches and gap bases) that skips s and r bases scores
 *
 *    K (m + n) - B e - K (s + r).
 *
 * Let skip(k) = floor(K k / B), and call e + skip(s) + skip(r) the *cost* of the path.
 * If all paths that leave the band cost at least x, they score at most K (m + n) - B x.
 *
 * Two sweeps.  Let F(i, j) be the minimum of e + skip(s) over all paths from the borders
 * to a cell that have not left the band before it.  It is an edit distance with the
 * borders F(i, 0) = skip(i) and F(0, j) = skip(j).  These rise by 0 or 1 per cell, which
 * is what Myers' bit vectors can hold (bscan_column.cuh, band_bound_band.cuh).  Let R be
 * the same for the rest of the path, which may leave the band: the minimum of e + skip(r)
 * from a cell to the other borders.  It is the distance of the reversed sequences.  For
 * pairs of very unequal length F may cover the whole matrix, too: a smaller F only bounds
 * less tightly.
 *
 * Paths that leave the band.  j - i changes by at most one from cell to cell of a path.
 * On either side of the band the diagonal next to it has L = min(m, n) - w cells.  So a
 * path that leaves the band is of one of three kinds:
 *
 *  1. It starts in the band.  The first cell outside lies on the upper diagonal, (i, i +
 *     high + 1) with 0 <= i < L, or on the lower one, (j + low + 1, j) with 0 <= j < L.
 *     The path costs at least F + R of that cell.  (With i or j = 0 that is what 2. or 3.
 *     say of the same cell.)
 *  2. It starts above the band, at (0, s) with s > high, and costs at least R(0, s) +
 *     skip(s).  In the reversed matrix that is a cell (m, j) with j < L.
 *  3. It starts below the band, at (s, 0) with s > low, and costs at least R(s, 0) +
 *     skip(s).  In the reversed matrix that is a cell (i, n) with i < L.
 *
 * Samples on the diagonals (kind 1).  F is sampled only in every SPAN-th column, and R in
 * every SPAN-th column counted from the target's end.  Along a diagonal F rises by 0 or 1
 * per cell, and R does so backwards.  Let a and b = a + SPAN be neighbouring columns with
 * samples of R, and g, a < g <= b, the column with a sample of F.  In a column j between
 * a and g
 *
 *    F >= F(g - SPAN),  F >= F(g) - (g - j),  R >= R(b),  R >= R(a) - (j - a),
 *
 * hence
 *
 *    F + R >= max(F(g - SPAN) + R(b), F(g) + R(a) - (g - a)).
 *
 * In a column j from g to b likewise
 *
 *    F + R >= max(F(g) + R(b), F(g + SPAN) + R(a) - (g + SPAN - a)).
 *
 * Behind the last sample F(g) stands in for F(g + SPAN), which is not smaller.
 *
 * In some sampled columns the row of the diagonal is above the first row or below the
 * last one.  Then the first or the last row is sampled.  Along the first row F does not
 * fall and rises by at most one per column, so all of the above holds.  Along the last
 * row F changes by at most one per column, so bounds on earlier columns, by F(g), F(g +
 * SPAN) and R(a), hold.  The bounds on later columns, by F(g - SPAN), F(g) and R(b), are
 * used only for columns in which the diagonal has cells behind the sampled column; then
 * the sample is a cell of the diagonal, or of the first row.
 *
 * The last row of the reversed matrix (kind 2).  The changes of R leave each column as
 * carries.  R is tested in every STRIDE-th column: between two such columns with values f
 * and g it is at least (f + g - STRIDE) / 2.
 *
 * The last column of the reversed matrix (kind 3).  The lanes' targets differ in length,
 * but the sweep stops only in every SPAN-th column.  In the last of these, d < SPAN
 * columns before n, R is tested in every STRIDE-th row.  As R does not fall along a
 * diagonal, R(i, n) >= R(i - d, n - d).  If row i - d is above all pads, the diagonal
 * begins at the upper border, behind column n - d.  There R and skip(s) are at least
 * those of the border in column n - d, which the first test includes; it takes place if L
 * >= SPAN.
 *
 * Pads.  For this, the last row must be the highest bit, so rows are padded in front, by
 * q = 32 W - m.  Pads match every letter, which moves values down along diagonals.  With
 * skip(q - i) at the left of pad row i and skip(q + j) above the first pad row, skip(j)
 * arrives above the query's first row.
 *
 * Reversal.  Reversing the sequences swaps the two diagonals.  With i' = m - i and j' = n
 * - j, j' - i' = n - m - (j - i), so they lie in the same places, and both sweeps sample
 * the same rows.  All lanes start with their first letters and go on until the longest
 * target ends.  What a lane computes behind its own last column is right for a target
 * with more letters, and is used only to bound earlier columns.
 */
#pragma once

#include "kernels/align/bscan/band_bound_band.cuh"

namespace
{

/* The masks of a column's letter. `reread` makes the compiler load them again, because
 * remembering them would take more registers than there are. */
struct column_masks_t {
    masks_t<LETTERS> masks;
    unsigned none;

    __device__ __forceinline__ unsigned operator()(int w) const
    {
        return masks(w);
    }

    __device__ __forceinline__ column_masks_t reread() const
    {
        return {{masks.masks, masks.offset + none}, none};
    }
};

/* What the sweep of R has found so far. */
struct found_t {
    int min_cost; /* of the paths that leave the band */
    int last;     /* R in the last row */
    unsigned sample;
};

/* @return in lane c: the rows, W apart, whose sets intersect the set c, and the pads */
template <int W> __device__ unsigned mask_of_lane(const lane_t &l, int first, bool back)
{
    const int row = first + static_cast<int>(threadIdx.x) * W - l.pads;
    const unsigned letter = row >= 0 ? l.rows[back ? l.m - 1 - row : row] : 0;

    return bscan_mask(letter, __ballot_sync(ALL, row < 0));
}

/* Set column 0. */
template <int W>
__device__ void start(const band_bound_launch_t &p, const lane_t &l, stripes_t<W> &s)
{
#pragma unroll
    for (int w = 0; w < W; w++) {
        const int row = w + static_cast<int>(threadIdx.x) * W - l.pads;
        const unsigned pads = __ballot_sync(ALL, row < 0);
        const unsigned changes = rises(p, row < 0 ? -row : row + 1);

        s.pv[w] = changes & ~pads;
        s.mv[w] = changes & pads;
    }
}

/* @return how much F grows along the first n_rows rows */
template <int W> __device__ int growth(const stripes_t<W> &s, int n_rows)
{
    const int even = n_rows / W, odd = n_rows % W;
    const unsigned fewer = ~__funnelshift_lc(0u, ALL, even);
    const unsigned more = ~__funnelshift_lc(0u, ALL, even + 1);
    int sum = 0;

#pragma unroll
    for (int w = 0; w < W; w++) {
        const unsigned rows = w < odd ? more : fewer;

        sum += __popc(s.pv[w] & rows) - __popc(s.mv[w] & rows);
    }
    return sum;
}

/* @return F in a column on both diagonals: the upper one, and the lower one << 16 */
template <int W>
__device__ unsigned sample_of(const band_bound_launch_t &p, const lane_t &l,
                              const stripes_t<W> &s, int column)
{
    const unsigned above = static_cast<unsigned>(skip(p, l.pads + column));
    unsigned sample = above | above << 16;

#pragma unroll 1
    for (int k = 0; k < 2; k++) { /* a loop, so that the code is there only once */
        const int row = k == 0 ? column - l.high - 1 : column + l.low + 1;
        const int grown = growth(s, l.pads + min(max(row, 0), l.m));

        sample += static_cast<unsigned>(grown) << (16 * k);
    }
    return sample;
}

/* Bound the paths through the cells of a diagonal in columns first .. last that lie
 * between two samples of R, in columns a and b = a + SPAN. */
__device__ void bound_cells(const unsigned *samples, int n_columns, int shift, int first,
                            int last, int a, int r_a, int r_b, int *min_cost)
{
    const int b = a + SPAN, k = b / SPAN, g = k * SPAN;
    const int f_before = samples[max(k - 1, 0) * WARP] >> shift & 0xffff;
    const int f = samples[k * WARP] >> shift & 0xffff;
    const int f_next = samples[min(k + 1, n_columns / SPAN) * WARP] >> shift & 0xffff;

    if (g - 1 >= first && a + 1 <= last)
        *min_cost = min(*min_cost, max(f_before + r_b, f + r_a - (g - a)));
    if (b >= first && g <= last)
        *min_cost = min(*min_cost, max(f + r_b, f_next + r_a - (g + SPAN - a)));
}

/* Bound the paths that start above the band, in the columns after the last sample up to
 * this one. */
__device__ void bound_last_row(const band_bound_launch_t &p, const lane_t &l,
                               border_t below, int column, found_t *found)
{
    const int before = found->last, from_here = l.n - column;
    int f = before;

#pragma unroll
    for (int k = STRIDE; k <= SPAN; k += STRIDE) {
        const int g =
            before + __popc(below.hp >> (SPAN - k)) - __popc(below.hn >> (SPAN - k));

        /* skip(x + y) >= skip(x) + skip(y) */
        if (column - SPAN + k - STRIDE < l.n_outside)
            found->min_cost =
                min(found->min_cost, ((f + g - STRIDE) >> 1) + skip(p, from_here) +
                                         p.stride_skips[(SPAN - k) / STRIDE]);
        f = g;
    }
    found->last = f;
}

/* Bound the paths that start below the band, of the lanes whose last column is at most
 * SPAN - 1 columns behind this one. */
template <int W>
__device__ void bound_last_column(const band_bound_launch_t &p, const lane_t &l,
                                  const stripes_t<W> &s, int column, found_t *found)
{
    const int d = l.n - column;
    const bool is_last = d >= 0 && d < SPAN;
    int f = skip(p, l.pads + column), min_cost = INT_MAX;

    if (!__any_sync(ALL, is_last))
        return;
#pragma unroll 1
    for (int stripe = 0; stripe < WARP; stripe++) {
        const int row = stripe * W - l.pads; /* of f; a stripe has the W rows behind it */
        const int behind = l.m - d - (row + W);
        /* skip(x + y) >= skip(x) + skip(y), skip(x - y) >= skip(x) - skip(y) - 1 */
        const int rest = behind >= 0 ? skip(p, behind) : -skip(p, -behind) - 1;

#pragma unroll
        for (int w = 0; w < W; w += STRIDE) {
            const int n_rows = W - w < STRIDE ? W - w : STRIDE;
            int g = f;

#pragma unroll
            for (int k = w; k < w + n_rows; k++)
                g += static_cast<int>(s.pv[k] >> stripe & 1) -
                     static_cast<int>(s.mv[k] >> stripe & 1);
            if (row + w < l.n_outside - d)
                min_cost = min(min_cost, ((f + g - n_rows) >> 1) + rest +
                                             p.stride_skips[(W - w - n_rows) / STRIDE]);
            f = g;
        }
    }
    if (is_last)
        found->min_cost = min(found->min_cost, min_cost);
}

/* Sample a column. */
template <int W>
__device__ void sample_column(const band_bound_launch_t &p, const lane_t &l,
                              const stripes_t<W> &s, int column, int n_columns, bool back,
                              found_t *found)
{
    const unsigned sample = sample_of(p, l, s, column), before = found->sample;
    const int a = l.n - column;

    found->sample = sample;
    if (!back) {
        l.samples[column / SPAN * WARP] = sample;
    } else if (column > 0 && a + SPAN >= 0) {
        bound_cells(l.samples, n_columns, 0, l.high + 1, l.n, a, sample >> 16,
                    before >> 16, &found->min_cost);
        bound_cells(l.samples, n_columns, 16, 0, l.n_outside - 1, a, sample & 0xffff,
                    before & 0xffff, &found->min_cost);
    }
}

/* One of the two sweeps of a group. */
template <int W>
__device__ void sweep(const band_bound_launch_t &p, const lane_t &l, int n_columns,
                      bool back, unsigned *masks, found_t *found)
{
    letters_t letters = letters_of(l, back);
    border_t above = {0, 0}, below = {0, 0};
    stripes_t<W> s;

    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const unsigned mask = mask_of_lane<W>(l, w, back);

        if (threadIdx.x < LETTERS)
            masks[w * LETTERS + threadIdx.x] = mask;
    }
    __syncwarp();
    start(p, l, s);
    found->last = skip(p, l.m);
    sample_column(p, l, s, 0, n_columns, back, found);
    for (int column = 0; column < n_columns;) {
        above.hp = __brev(rises(p, l.pads + column + static_cast<int>(threadIdx.x) + 1));
        for (int k = 0; k < SPAN; k += QUAD) {
            unsigned quad = quad_of(letters) << 2; /* offsets into masks, in bytes */

#pragma unroll 1
            for (int i = 0; i < QUAD; i++) {
                const column_masks_t eq = {{masks, quad & 0xff}, p.none};

                bscan_column<W, true>(s, eq, ALL, above, below);
                quad >>= 8;
            }
        }
        column += SPAN;
        if (back) {
            bound_last_row(p, l, below, column, found);
            bound_last_column(p, l, s, column, found);
        }
        sample_column(p, l, s, column, n_columns, back, found);
    }
}

/* Sample F. */
template <int W>
__device__ void sample_f(const band_bound_launch_t &p, const lane_t &l, int n_columns,
                         unsigned *masks, found_t *found)
{
    const window_t window = window_of(l);

    if (window.words <= 6)
        sweep_window<6>(p, l, window, n_columns, masks);
    else if (window.words <= 8)
        sweep_window<8>(p, l, window, n_columns, masks);
    else if (window.words <= WINDOW_MAX)
        sweep_window<WINDOW_MAX>(p, l, window, n_columns, masks);
    else
        sweep<W>(p, l, n_columns, false, masks, found);
}

/* Bound the pairs of a group. */
template <int W>
__device__ void bound_group(const band_bound_launch_t &p, cuda_pair_group_t group,
                            unsigned *masks)
{
    const lane_t l = lane_of<W>(p, group);
    const int n_columns = (cuda_warp_max(l.n) + SPAN - 1) / SPAN * SPAN;
    found_t found = {INT_MAX, 0, 0};

    sample_f<W>(p, l, n_columns, masks, &found);
    sweep<W>(p, l, n_columns, true, masks, &found);
    if (l.counts) {
        const long long bound = static_cast<long long>(p.skip_cost) * (l.m + l.n) -
                                static_cast<long long>(p.edit_cost) * found.min_cost;

        p.guarded[l.index] =
            static_cast<int>(bound < INT_MAX ? max(bound + 1, -1ll) : INT_MAX);
    }
}

} // namespace
