/*
 * bscan_band.cuh - edit distances of a group of pairs in a band: a warp aligns a group,
 * one pair per thread, in a window of 32 W rows that slides down the matrix.
 *
 * Threads, bases and masks are those of bscan_sweep.cuh.  Every W columns the window
 * slides by W rows: each word shifts by one bit, and the distance that leaves with the
 * top rows is counted.  The distance above the window is taken to grow by one per column,
 * and in the rows that enter below by one per row; gaps attain both.  The masks of a word
 * are [17] pairs: the rows in the window, and the 32 W rows below it for later slides.
 *
 * The band is -w <= j - i <= (n - m) + w for m <= n, and the mirror image for m > n: 2 w
 * + |n - m| rows per column.  The targets of a warp are delayed so that the band of each
 * pair is in the middle of the window, whatever the lengths of the others.  Until a
 * thread starts, its base is NOT_STARTED, which matches the rows above the first and no
 * others, so that the distance there stays 0; afterwards it grows by one per column.
 *
 * The distance found is certified as in cell_layout_certifies, with a match worth two
 * mismatches.  If it is not the true distance, it still is an upper bound, from which
 * follows a width that is certainly enough: the pair is aligned again with that width.
 */
#pragma once

#include "kernels/align/bscan/bscan_sweep.cuh"

namespace
{

enum { NOT_STARTED = 16, ALL_NOT_STARTED = 0x01010101 * NOT_STARTED };

/* The window of a warp, and the band of a thread in it.  Diagonals are column - row, with
 * columns counted from the warp's first. */
struct window_t {
    int high;  /* the window's highest diagonal */
    int delay; /* columns before the thread's first */
    int w;     /* width of the band that the window covers */
};

template <int W> __device__ window_t window_of(const lane_pair_t &l)
{
    const int delta = l.n - l.m, diagonals = window_diagonals(W);
    window_t at;

    at.high = (diagonals + cuda_warp_max(delta) + 3) / 2;
    const int middle = (2 * at.high - diagonals - delta) / 2 + QUAD / 2;

    /* so that the target ends at the end of a quad */
    at.delay = middle - ((middle + l.n) & (QUAD - 1));
    at.w = min(at.delay + min(0, delta) - (at.high - diagonals),
               at.high - at.delay - max(0, delta));
    return at;
}

/* Compute the masks of 32 W rows from `first` on.
 * @param coming  of the rows below the window, not of those in it */
template <int W>
__device__ void put_masks(const lane_pair_t &l, int first, bool coming, uint2 *masks)
{
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const int lane = threadIdx.x, row = first + w;
        unsigned mask = mask_of_lane(l.rows, l.m, row, W);

        if (lane == NOT_STARTED) /* rows above the first one, 0 */
            mask = __funnelshift_lc(0u, ALL, max((W - 1 - row) / W, 0)) ^ ALL;
        if (lane < BAND_LETTERS && coming)
            masks[w * BAND_LETTERS + lane].y = mask;
        else if (lane < BAND_LETTERS)
            masks[w * BAND_LETTERS + lane].x = mask;
    }
}

/*
 * Advance by four columns.
 *
 * @param delay  columns before this thread's first; 0 or less: it has started
 * @param all    whether all threads of the warp have started
 */
template <int W>
__device__ void sweep_quad(stripes_t<W> &s, unsigned letters, int delay, bool all,
                           const uint2 *masks)
{
    border_t above = {ALL, 0};
    unsigned quad = letters << 3; /* offsets into masks, in bytes */

    if (!all) {
        const unsigned idle = ~__funnelshift_lc(0u, ALL, 8 * max(delay, 0));

        above.hp = delayed_hp(delay);
        quad |= (idle & ALL_NOT_STARTED) << 3;
    }
    sweep_window<W, unrolled(W)>(s, quad, above, masks);
}

/* @return the smallest number of edits of the paths in the window */
template <int W>
__device__ int sweep_band(const lane_pair_t &l, const window_t &at, uint2 *masks)
{
    const int ends = at.delay + l.n, n_columns = cuda_warp_max(ends);
    const int first_end = -cuda_warp_max(-ends), last_start = cuda_warp_max(at.delay);
    window_place_t place = {-at.high, 0, 0};
    int edits = l.m + l.n, left_behind = 0;
    unsigned letters = quad_of(l, ends);
    stripes_t<W> s;

#pragma unroll
    for (int w = 0; w < W; w++) { /* rows top + b W + w, from 0 */
        s.pv[w] = __funnelshift_lc(0u, ALL, max((W - 1 - w - place.top) / W, 0));
        s.mv[w] = 0;
    }
    for (int j = 0; j < n_columns;) {
        const unsigned quad = letters;

        letters = quad_of(l, ends - j - QUAD);
        sweep_quad<W>(s, quad, at.delay - j, j >= last_start, masks);
        j += QUAD;
        if (j >= first_end && j == ends)
            edits = l.n + left_behind + bscan_count(s, l.m - place.top);
        slide_window(s, place, masks, left_behind,
                     [&](int first) { put_masks<W>(l, first, true, masks); });
    }
    return edits;
}

/* Store a pair's result, or if the band does not prove it, the key to align it again in a
 * band that is wide enough. */
__device__ void store_or_retry(const bscan_launch_t &p, const lane_pair_t &l, int w,
                               int edits)
{
    const bool proved = l.m + l.n - edits >= 2 * (min(l.m, l.n) - w - 1);
    const bool retry = !proved && p.retry_keys != nullptr && l.is_own;
    const unsigned failed = __ballot_sync(ALL, retry), all = __ballot_sync(ALL, l.is_own);

    if (l.is_own && !retry)
        put_score(p, l, edits);
    if (l.is_own && p.retry_keys != nullptr) {
        p.retry_keys[l.index] =
            retry ? cuda_grouping_key(l.query, bscan_class(l.m, edits - 1), l.n)
                  : CUDA_GROUPING_NO_KEY;
        p.retry_indices[l.index] = l.index;
    }
    if (threadIdx.x == 0 && p.retry_keys != nullptr) {
        atomicAdd(p.n_banded, static_cast<unsigned long long>(__popc(all)));
        atomicAdd(p.n_retried, static_cast<unsigned long long>(__popc(failed)));
    }
}

/* Align the pairs of a group in windows of W words. */
template <int W>
__device__ void align_in_band(const bscan_launch_t &p, cuda_pair_group_t group,
                              uint2 *masks)
{
    const lane_pair_t l = pair_of_lane(p, group);
    const window_t at = window_of<W>(l);

    __syncwarp();
    put_masks<W>(l, -at.high, false, masks);
    put_masks<W>(l, WARP * W - at.high, true, masks);
    __syncwarp();
    store_or_retry(p, l, at.w, sweep_band<W>(l, at, masks));
}

} // namespace
