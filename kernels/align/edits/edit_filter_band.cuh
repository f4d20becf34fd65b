/*
 * edit_filter_band.cuh - a warp tests whether 32 pairs of the same query have an end with
 * few enough edits, in a window that slides down the matrix (bscan_window.cuh).
 *
 * Free ends only.  Each pair has a band of diagonals on which all alignments lie that
 * reach the identity (kmer_band_choose.cuh).  The targets of a warp are delayed so that
 * all bands lie in the window.  F above the window is taken to grow by one per column,
 * and in the rows that enter below by one per row.  So no F in the window is too small,
 * and on the bands' diagonals F is that of the paths in the window.
 *
 * Rows above the query's first base and below its last one, and columns before the
 * target's first base and behind its last one, match everything.  There F is the same
 * along a diagonal: 0 at the beginning, and at the end that of the diagonal's end.  So
 * when all targets have ended, the window shows F of the ends on all its diagonals.
 *
 * F never falls along a path, and k-mers say how many more edits the rest of the target
 * costs.  As soon as every F in the windows of all pairs is so large that with these it
 * is above the maximum of its pair, none has an alignment that reaches the identity.
 */
#pragma once

#include "kernels/align/edits/edit_filter_sweep.cuh"
#include "kernels/align/edits/kmer_band_choose.cuh"

namespace
{

enum { ALL_WILD = 0x01010101 * WILD };

/* With more words, four unrolled columns do not fit into the instruction cache. */
enum { BAND_UNROLLED_MAX = 12 };

/* Columns between two tests whether all pairs are ruled out: a test costs as much as two
 * or three columns. */
enum { COLUMNS_PER_TEST = 64 };

/* The pair of a thread. */
struct band_lane_t {
    int index, m, n, min_end, max_edits;
    const unsigned char *rows;       /* the query, the same in all lanes */
    const unsigned char *end;        /* one past the target's last base */
    const unsigned char *edits_left; /* [SEGMENTS] kmer_band_launch_t */
    int delay;                       /* columns before the target's first base */
    bool counts; /* false: a copy of another pair, which fills the warp */
};

/* The window of a warp. */
struct band_window_t {
    int high;      /* its highest diagonal, with columns counted from the warp's first */
    int n_columns; /* until all targets have ended */
};

__device__ inline band_lane_t band_lane_of(const edit_filter_launch_t &p,
                                           cuda_pair_group_t group, band_window_t *at)
{
    const int lane = threadIdx.x;
    band_lane_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];
    const kmer_band_t band = kmer_band_unpack(p.keep[l.index]);

    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.min_end = p.min_end[min(l.m, l.n)];
    l.max_edits = p.max_edits[min(l.m, l.n)];
    l.rows = p.set.letters + p.set.start[pair.query];
    l.end = p.set.letters + p.set.start[pair.target] + l.n;

    l.edits_left = p.edits_left + static_cast<long long>(l.index) * SEGMENTS;

    /* The highest diagonal may be in the row above the window. */
    at->high = cuda_warp_max(band.high) + QUAD;
    l.delay = at->high - 1 - band.high;
    l.delay -= (l.delay + l.n) % QUAD; /* the target ends at the end of a quad */
    at->n_columns = cuda_warp_max(l.delay + l.n);
    return l;
}

/* @return the letters of the four columns from `column` on */
__device__ inline unsigned band_quad(const band_lane_t &l, int column)
{
    const int left = l.delay + l.n - column, wild = l.delay - column;

    if (left <= 0 || wild >= QUAD)
        return ALL_WILD;
    const unsigned quad = *reinterpret_cast<const unsigned *>(l.end - left);

    return wild <= 0 ? quad : quad | (ALL_WILD & ((1u << (8 * wild)) - 1));
}

/* Compute the masks of 32 W rows from `first` on.
 * @param coming  of the rows below the window, not of those in it */
template <int W>
__device__ void put_band_masks(const band_lane_t &l, int first, bool coming, uint2 *masks)
{
    const int lane = threadIdx.x;

#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const int row = first + w + lane * W;
        const bool wild = row < 0 || row >= l.m;
        const unsigned letter = wild ? 0 : l.rows[row];
        unsigned mask = bscan_mask(letter, __ballot_sync(ALL, wild));

        if (lane == WILD)
            mask = ALL;
        if (lane < BAND_LETTERS && coming)
            masks[w * BAND_LETTERS + lane].y = mask;
        else if (lane < BAND_LETTERS)
            masks[w * BAND_LETTERS + lane].x = mask;
    }
}

/*
 * Bound the values in the window from below: between F = a and F = b, W rows apart, no F
 * is less than (a + b - W) / 2.
 *
 * The changes of F in a stripe are counted for all stripes at a time: bit b of digit k is
 * the k-th binary digit of stripe b's rows that grow, plus those that do not fall.
 *
 * @return twice a lower bound of F in the window, less F in the row above it
 */
template <int W> __device__ int twice_min_bound(const stripes_t<W> &s)
{
    constexpr int DIGITS = W < 8 ? 4 : W < 16 ? 5 : 6; /* of 2 W */
    constexpr int HALF = WARP / 2;
    unsigned digits[DIGITS] = {}, sum = 0, least = ALL;

#pragma unroll
    for (int w = 0; w < W; w++) {
        const unsigned grows = s.pv[w], holds = ~s.mv[w];
        unsigned carry = (digits[0] & (grows | holds)) | (grows & holds);

        digits[0] ^= grows ^ holds;
#pragma unroll
        for (int k = 1; k < DIGITS; k++) {
            const unsigned next = digits[k] & carry;

            digits[k] ^= carry;
            carry = next;
        }
    }
    /* Stripes b and b + HALF in the halves of a word; 2 W HALF keeps these above 0. */
#pragma unroll
    for (int b = 0; b < HALF; b++) {
        const unsigned before = sum;

#pragma unroll
        for (int k = 0; k < DIGITS; k++)
            sum += (digits[k] >> b & 0x10001u) << k;
        least = __vminu2(least, before + sum + 0x10001u * (2 * W * (HALF - 1 - b)));
    }
    const int low = static_cast<int>(least & 0xffff) - 2 * W * HALF;
    const int high = static_cast<int>(least >> 16) - 2 * W * HALF;

    return min(low, high + 2 * (static_cast<int>(sum & 0xffff) - W * HALF));
}

/* @param f    F in the row above the window
 * @param top  the window's first row, from 0
 * @return whether the ends on the window's diagonals have one within the bound, after all
 *         columns */
template <int W>
__device__ bool window_passes(const edit_filter_launch_t &p, const band_lane_t &l,
                              const band_window_t &at, const stripes_t<W> &s, int f,
                              int top)
{
    int diagonal = at.n_columns - l.delay - (top + 1);
    bool passes = false;

#pragma unroll 1
    for (int b = 0; b < WARP; b++) {
        int after = f;

#pragma unroll
        for (int w = 0; w < W; w++)
            after +=
                static_cast<int>(s.pv[w] >> b & 1) - static_cast<int>(s.mv[w] >> b & 1);
        if (__any_sync(ALL, f + after - W <= 2 * l.max_edits)) {
#pragma unroll
            for (int w = 0; w < W; w++) {
                const int end = kmer_band_end(l.m, l.n, diagonal - w);

                f += static_cast<int>(s.pv[w] >> b & 1) -
                     static_cast<int>(s.mv[w] >> b & 1);
                passes |= end >= l.min_end && f <= p.max_edits[end];
            }
        }
        f = after;
        diagonal -= W;
    }
    return passes;
}

/* @param f       F in the row above the window
 * @param column  columns swept; all paths in the window have begun
 * @return whether F is so large that no end has few enough edits */
template <int W>
__device__ bool is_ruled_out(const band_lane_t &l, const stripes_t<W> &s, int f,
                             int column)
{
    const int segment = (max(column - l.delay, 0) + SEGMENT - 1) / SEGMENT;
    const int more = segment < SEGMENTS ? l.edits_left[segment] : 0;

    return 2 * (f + more) + twice_min_bound(s) > 2 * l.max_edits;
}

/* @return whether the band has an end within the bound */
template <int W>
__device__ bool band_passes(const edit_filter_launch_t &p, const band_lane_t &l,
                            const band_window_t &at, uint2 *masks)
{
    constexpr int UNROLLED = W <= BAND_UNROLLED_MAX ? QUAD : 1;
    window_place_t place = {-at.high, 0, 0};
    int f = 0;
    unsigned letters = band_quad(l, 0);
    stripes_t<W> s;

#pragma unroll
    for (int w = 0; w < W; w++)
        s.pv[w] = s.mv[w] = 0;
    for (int j = 0; j < at.n_columns;) {
        const unsigned quad = letters << 3; /* offsets into masks, in bytes */

        letters = band_quad(l, j + QUAD);
        sweep_window<W, UNROLLED>(s, quad, border_t{ALL, 0}, masks);
        j += QUAD;
        f += QUAD;
        slide_window(s, place, masks, f,
                     [&](int first) { put_band_masks<W>(l, first, true, masks); });
        if (j % COLUMNS_PER_TEST == 0 && j >= at.high &&
            __all_sync(ALL, is_ruled_out(l, s, f, j)))
            return false;
    }
    return window_passes<W>(p, l, at, s, f, place.top);
}

/* Test the pairs of a group in windows of W words. */
template <int W>
__device__ void decide_in_band(const edit_filter_launch_t &p, cuda_pair_group_t group,
                               uint2 *masks)
{
    band_window_t at;
    const band_lane_t l = band_lane_of(p, group, &at);

    __syncwarp();
    put_band_masks<W>(l, -at.high, false, masks);
    put_band_masks<W>(l, WARP * W - at.high, true, masks);
    __syncwarp();
    const bool passes = band_passes<W>(p, l, at, masks);

    if (l.counts)
        p.keep[l.index] = passes;
}

} // namespace
