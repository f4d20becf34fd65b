/*
 * bscan_band.cuh - a warp aligns a unit in a band: a window of 32 W rows that slides.
 *
 * Threads, letters and masks are those of bscan_sweep.cuh.  The window slides by W rows
 * every W columns, in which each word shifts by one bit; what leaves it is counted.  What
 * stands above it grows by one a column, what comes in below by one a row; both are
 * attained by gaps.  A word's masks are [17] of the rows in the window and, for the
 * slides to come, of the 32 W rows below it.
 *
 * The band is -w <= j - i <= (n - m) + w for m <= n, and likewise for m > n: 2 w + |n -
 * m| rows a column.  Targets are placed so that each pair's band is in the middle of the
 * window, whatever the other pairs' lengths.  Until a thread begins its letter is
 * NOT_BEGUN, which matches the rows above the first and nothing else: there the distance
 * is 0, and then grows by one a column.
 *
 * What is found is certified as by cell_layout_certifies, a match being worth two
 * mismatches.  If it is not, what was found still tells how wide a band is certain to do.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BAND_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BAND_CUH

#include "kernels/align/bscan/bscan_sweep.cuh"

namespace
{

enum { NOT_BEGUN = 16, BAND_LETTERS = 17, ALL_NOT_BEGUN = 0x01010101 * NOT_BEGUN };

template <int... W> struct words_t {
};

using whole_words_t = words_t<4, 6, 8, 12, 16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;
using band_words_t = words_t<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24>;

enum { WORDS_MAX = 64, STRIP_WORDS = 48, BAND_CLASSES = 16, WHOLE_CLASSES = 14 };
enum { STRIP_CLASS = BAND_CLASSES + WHOLE_CLASSES, CLASSES };

/* A column in a band costs about as much as one of so many more words of whole matrix. */
enum { BAND_EXTRA = 3 };

/* Diagonals that a window covers in every column; and of those, what is left of them
 * for a pair's 2 w + |n - m| wherever its target's letters happen to start. */
constexpr __host__ __device__ int window_diagonals(int words)
{
    return 31 * words - 3;
}

constexpr __host__ __device__ int window_need(int words)
{
    return window_diagonals(words) - QUAD;
}

template <int... W> __host__ __device__ int words_of_class(words_t<W...>, int k)
{
    int at = 0, words = 0;

    ((words = at++ == k ? W : words), ...);
    return words;
}

/* @return words of a class */
__host__ __device__ inline int bscan_words(int group_class)
{
    return group_class < BAND_CLASSES ? words_of_class(band_words_t{}, group_class)
           : group_class < STRIP_CLASS
               ? words_of_class(whole_words_t{}, group_class - BAND_CLASSES)
               : WORDS_MAX;
}

template <int... B, int... F>
__host__ __device__ int class_of(words_t<B...>, words_t<F...>, int m, int need)
{
    int band = 0, whole = BAND_CLASSES;

    ((band += window_need(B) < need ? 1 : 0), ...);
    ((whole += WARP * F < m ? 1 : 0), ...);
    return band < BAND_CLASSES && bscan_words(band) + BAND_EXTRA < bscan_words(whole)
               ? band
               : whole;
}

/* @return the class of the least window for a need, or that of the whole matrix if that
 *         costs less */
__host__ __device__ inline int bscan_class(int m, int need)
{
    return class_of(band_words_t{}, whole_words_t{}, m, need);
}

/* Where a thread's band is in the window's diagonals (column - row, columns counted from
 * the warp's first). */
struct place_t {
    int high;  /* the window's highest diagonal */
    int waits; /* columns before the thread's first */
    int w;     /* the band that is covered */
};

template <int W> __device__ place_t place_of(const lane_pair_t &l)
{
    const int delta = l.n - l.m, diagonals = window_diagonals(W);
    place_t at;

    at.high = (diagonals + cuda_warp_max(delta) + 3) / 2;
    const int middle = (2 * at.high - diagonals - delta) / 2 + QUAD / 2;

    /* targets end with a quad */
    at.waits = middle - ((middle + l.n) & (QUAD - 1));
    at.w = min(at.waits + min(0, delta) - (at.high - diagonals),
               at.high - at.waits - max(0, delta));
    return at;
}

/* The masks of 32 W rows from `first` on, into the window's or the coming ones'. */
template <int W>
__device__ void put_masks(const lane_pair_t &l, int first, bool coming, uint2 *masks)
{
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const int lane = threadIdx.x, row = first + w;
        unsigned mask = mask_of_lane(l.rows, l.m, row, W);

        if (lane == NOT_BEGUN) /* rows above the first one, 0 */
            mask = __funnelshift_lc(0u, ALL, max((W - 1 - row) / W, 0)) ^ ALL;
        if (lane < BAND_LETTERS && coming)
            masks[w * BAND_LETTERS + lane].y = mask;
        else if (lane < BAND_LETTERS)
            masks[w * BAND_LETTERS + lane].x = mask;
    }
}

/* Let the masks slide by a bit. */
template <int W> __device__ void slide_masks(uint2 *masks)
{
#pragma unroll
    for (int first = 0; first < W * BAND_LETTERS; first += WARP) {
        const int k = first + static_cast<int>(threadIdx.x);

        if (first + WARP <= W * BAND_LETTERS || k < W * BAND_LETTERS) {
            const uint2 mask = masks[k];

            masks[k] = uint2{__funnelshift_r(mask.x, mask.y, 1), mask.y >> 1};
        }
    }
}

/* Let the stripes slide by a bit. @return how much the distance grows in the W rows that
 * leave */
template <int W> __device__ int slide_stripes(stripes_t<W> &s)
{
    unsigned more = 0, less = 0;

#pragma unroll
    for (int w = 0; w < W; w++) {
        more = __funnelshift_r(more, s.pv[w], 1);
        less = __funnelshift_r(less, s.mv[w], 1);
        s.pv[w] = __funnelshift_r(s.pv[w], ALL, 1);
        s.mv[w] >>= 1;
    }
    return __popc(more) - __popc(less);
}

/*
 * Four columns.
 *
 * @param waits  columns before this thread's first; 0 or less: it has begun
 * @param all    whether all have
 */
template <int W>
__device__ void sweep_quad(stripes_t<W> &s, unsigned letters, int waits, bool all,
                           const uint2 *masks)
{
    constexpr int UNROLLED = unrolled(W);
    border_t above = {ALL, 0}, below = {0, 0};
    unsigned quad = letters << 3; /* offsets into masks, in bytes */

    if (!all) {
        const unsigned idle = ~__funnelshift_lc(0u, ALL, 8 * max(waits, 0));

        above.hp = begun(waits);
        quad |= (idle & ALL_NOT_BEGUN) << 3;
    }
#pragma unroll UNROLLED
    for (int k = 0; k < QUAD; k++) {
        const masks_t<2 *BAND_LETTERS> eq = {masks, quad & 0xff};

        bscan_column<W, false>(s, eq, ALL >> 1, above, below);
        quad >>= 8;
    }
}

/* @return the edits found in the window */
template <int W>
__device__ int sweep_band(const lane_pair_t &l, const place_t &at, uint2 *masks)
{
    const int ends = at.waits + l.n, n_columns = cuda_warp_max(ends);
    const int first_end = -cuda_warp_max(-ends), last_begin = cuda_warp_max(at.waits);
    int top = -at.high, due = 0, edits = l.m + l.n, left_behind = 0;
    unsigned letters = quad_of(l, ends);
    stripes_t<W> s;

#pragma unroll
    for (int w = 0; w < W; w++) { /* rows top + b W + w, from 0 */
        s.pv[w] = __funnelshift_lc(0u, ALL, max((W - 1 - w - top) / W, 0));
        s.mv[w] = 0;
    }
    for (int j = 0, slides = 0; j < n_columns;) {
        const unsigned quad = letters;

        letters = quad_of(l, ends - j - QUAD);
        sweep_quad<W>(s, quad, at.waits - j, j >= last_begin, masks);
        j += QUAD;
        if (j >= first_end && j == ends)
            edits = l.n + left_behind + bscan_count(s, l.m - top);
        for (due += QUAD; due >= W; due -= W) {
            __syncwarp();
            if (slides++ % WARP == 0 && slides > 1) {
                put_masks<W>(l, top + WARP * W, true, masks);
                __syncwarp();
            }
            slide_masks<W>(masks);
            left_behind += slide_stripes(s);
            top += W;
            __syncwarp();
        }
    }
    return edits;
}

/* Note a pair as done, or as one to be aligned again in a band that is certain to do. */
__device__ void settle(const bscan_launch_t &p, const lane_pair_t &l, int w, int edits)
{
    const bool proved = l.m + l.n - edits >= 2 * (min(l.m, l.n) - w - 1);
    const bool again = !proved && p.again_keys != nullptr && l.counts;
    const unsigned failed = __ballot_sync(ALL, again), all = __ballot_sync(ALL, l.counts);

    if (l.counts && !again)
        put_score(p, l, edits);
    if (l.counts && p.again_keys != nullptr) {
        p.again_keys[l.index] =
            again ? cuda_grouping_key(l.query, bscan_class(l.m, edits - 1), l.n)
                  : CUDA_GROUPING_NO_KEY;
        p.again_indices[l.index] = l.index;
    }
    if (threadIdx.x == 0 && p.again_keys != nullptr) {
        atomicAdd(p.n_banded, static_cast<unsigned long long>(__popc(all)));
        atomicAdd(p.n_failed, static_cast<unsigned long long>(__popc(failed)));
    }
}

/* A unit in windows of W words. */
template <int W>
__device__ void align_in_band(const bscan_launch_t &p, cuda_pair_group_t group,
                              uint2 *masks)
{
    const lane_pair_t l = pair_of_lane(p, group);
    const place_t at = place_of<W>(l);

    __syncwarp();
    put_masks<W>(l, -at.high, false, masks);
    put_masks<W>(l, WARP * W - at.high, true, masks);
    __syncwarp();
    settle(p, l, at.w, sweep_band<W>(l, at, masks));
}

} // namespace

#endif
