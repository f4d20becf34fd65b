/*
 * band_bound_band.cuh - the costs F of the paths that have not left a band, sampled next
 * to it (band_bound_sweep.cuh).
 *
 * Myers' bit vectors hold a window of 32 WORDS rows, which moves down by one row per
 * column (Hyyro 2003).  The window of column j has the rows j - top and below.  Rows and
 * columns are those of cells: row i is behind i bases.  What lies above the window or
 * enters it from below is worth one more than its neighbour in the window, as if no path
 * came from there.  Rows 0 and less are pads: they match every letter and start with
 * F(-k, 0) = skip(k), which arrives as F(0, k) = skip(k).
 */
#pragma once

#include "kernels/align/bscan/band_bound_lane.cuh"

namespace
{

/* The widest window, in words; and the words of masks that it may need beyond those of
 * the query.  (Bands have 2 SPAN diagonals or more, so the target has at most WINDOW_MAX
 * - 2 words more than the query.) */
constexpr int WINDOW_MAX = 12, WINDOW_SLACK = 2 * WINDOW_MAX - 2;

/* The window of all pairs of a warp. */
struct window_t {
    int top;   /* rows above the diagonal j = i: those of column 0 start with -top */
    int words; /* that hold it; more than WINDOW_MAX: there is none */
};

/* @return the least window that holds the bands of all lanes, and the diagonals next to
 *         them */
__device__ inline window_t window_of(const lane_t &l)
{
    window_t window;

    window.top = cuda_warp_max(l.high) + 1;
    window.words = (window.top + cuda_warp_max(l.low) + 1 + WARP - 1) / WARP;
    return window;
}

/* Compute, of the letters 0 .. LETTERS - 1, the words of rows that match them, from row
 * 1 - top on. */
__device__ inline void make_row_masks(const lane_t &l, const window_t &window,
                                      int n_words, unsigned *masks)
{
    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < n_words; w++) {
        const int row = WARP * w + static_cast<int>(threadIdx.x) - window.top;
        const unsigned letter = row >= 0 && row < l.m ? l.rows[row] : 0;
        const unsigned mask = bscan_mask(letter, __ballot_sync(ALL, row < 0));

        if (threadIdx.x < LETTERS)
            masks[w * LETTERS + threadIdx.x] = mask;
    }
    __syncwarp();
}

/* A column of the window: from row to row F grows (grows) or falls (falls) by one.  Bit 0
 * is the row below the window's first one, whose F is `first`. */
template <int WORDS> struct window_column_t {
    unsigned grows[WORDS], falls[WORDS];
    int first;
};

template <int WORDS>
__device__ __forceinline__ void start_window(const band_bound_launch_t &p,
                                             const window_t &window,
                                             window_column_t<WORDS> &c)
{
    c.first = skip(p, window.top);
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        const int row = WARP * w + static_cast<int>(threadIdx.x) + 1 - window.top;
        const unsigned changes = rises(p, row > 0 ? row : 1 - row);
        const unsigned pads = __ballot_sync(ALL, row <= 0);

        c.grows[w] = changes & ~pads;
        c.falls[w] = changes & pads;
    }
}

/* Advance by one column, and the window by one row.
 * @param masks  of the column's letter
 * @param shift  bits of the first mask above the window */
template <int WORDS>
__device__ __forceinline__ void move_window(window_column_t<WORDS> &c,
                                            const unsigned *masks, unsigned shift)
{
    unsigned carry = 0, falling[WORDS], growing[WORDS], level[WORDS];
    unsigned mask = masks[0];

#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        const unsigned next = masks[(w + 1) * LETTERS];
        const unsigned equal = __funnelshift_r(mask, next, shift);
        const unsigned grows = c.grows[w];
        const unsigned long long sum =
            static_cast<unsigned long long>(equal & grows) + grows + carry;

        carry = static_cast<unsigned>(sum >> 32);
        level[w] = (static_cast<unsigned>(sum) ^ grows) | equal | c.falls[w];
        growing[w] = c.falls[w] | ~(level[w] | grows);
        falling[w] = level[w] & grows;
        mask = next;
    }
    c.first += 1 - static_cast<int>(level[0] & 1);
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        const unsigned above =
            __funnelshift_r(level[w], w + 1 < WORDS ? level[w + 1] : 0, 1);

        c.grows[w] = falling[w] | ~(above | growing[w]);
        c.falls[w] = growing[w] & above;
    }
}

/* @return F in a row of the window, k rows below its first one */
template <int WORDS>
__device__ __forceinline__ int window_value(const window_column_t<WORDS> &c, int k)
{
    int f = c.first;

#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        const unsigned rows =
            ~__funnelshift_lc(0u, ALL, static_cast<unsigned>(max(k - WARP * w, 0)));

        f += __popc(c.grows[w] & rows) - __popc(c.falls[w] & rows);
    }
    return f;
}

/* Sweep a window of WORDS words, and sample F on both diagonals as sample_of does. */
template <int WORDS>
__device__ void sweep_window(const band_bound_launch_t &p, const lane_t &l,
                             const window_t &window, int n_columns, unsigned *masks)
{
    letters_t letters = letters_of(l, false);
    window_column_t<WORDS> c;

    make_row_masks(l, window, n_columns / SPAN + WORDS, masks);
    start_window(p, window, c);
    for (int column = 0;; column += SPAN) {
        const int first_row = column - window.top;
        const int upper = min(max(column - l.high - 1, 0), l.m);
        const int lower = min(max(column + l.low + 1, 0), l.m);

        l.samples[column / SPAN * WARP] =
            static_cast<unsigned>(window_value(c, upper - first_row)) |
            static_cast<unsigned>(window_value(c, lower - first_row)) << 16;
        if (column == n_columns)
            return;
        for (int k = 0; k < SPAN; k += QUAD) {
            unsigned quad = quad_of(letters);

#pragma unroll 1
            for (int i = 0; i < QUAD; i++) {
                move_window(c, masks + (quad & 0xff), static_cast<unsigned>(k + i));
                quad >>= 8;
            }
        }
        masks += LETTERS;
    }
}

} // namespace
