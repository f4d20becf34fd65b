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
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BAND_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BAND_CUH

#include "kernels/align/bscan/bscan_sweep.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"

namespace
{

enum { NOT_STARTED = 16, BAND_LETTERS = 17, ALL_NOT_STARTED = 0x01010101 * NOT_STARTED };

using whole_words_t = cuda_words_t<4, 6, 8, 12, 16, 24, 32, 40, 44, 46, 48, 50, 56, 64>;
using band_words_t = cuda_words_t<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24>;

enum { WORDS_MAX = 64, STRIP_WORDS = 48, BAND_CLASSES = 16, WHOLE_CLASSES = 14 };
enum { STRIP_CLASS = BAND_CLASSES + WHOLE_CLASSES, CLASSES };

/* A column of a band of W words costs about as much as one of a whole matrix of W +
 * BAND_EXTRA words. */
enum { BAND_EXTRA = 3 };

/* @return the diagonals that a window covers in every column */
constexpr __host__ __device__ int window_diagonals(int words)
{
    return 31 * words - 3;
}

/* @return those that a band may use wherever the quads of the target start */
constexpr __host__ __device__ int window_usable(int words)
{
    return window_diagonals(words) - QUAD;
}

template <int... W> __host__ __device__ int words_of_class(cuda_words_t<W...>, int k)
{
    int at = 0, words = 0;

    ((words = at++ == k ? W : words), ...);
    return words;
}

/* @return the words per thread of a class */
__host__ __device__ inline int bscan_words(int group_class)
{
    return group_class < BAND_CLASSES ? words_of_class(band_words_t{}, group_class)
           : group_class < STRIP_CLASS
               ? words_of_class(whole_words_t{}, group_class - BAND_CLASSES)
               : WORDS_MAX;
}

template <int... B, int... F>
__host__ __device__ int class_of(cuda_words_t<B...>, cuda_words_t<F...>, int m,
                                 int band_rows)
{
    int band = 0, whole = BAND_CLASSES;

    ((band += window_usable(B) < band_rows ? 1 : 0), ...);
    ((whole += WARP * F < m ? 1 : 0), ...);
    return band < BAND_CLASSES && bscan_words(band) + BAND_EXTRA < bscan_words(whole)
               ? band
               : whole;
}

/* @return the class of the smallest window for a band of this many rows per column, or of
 *         the whole matrix if that costs less */
__host__ __device__ inline int bscan_class(int m, int band_rows)
{
    return class_of(band_words_t{}, whole_words_t{}, m, band_rows);
}

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

/* Slide the masks by one bit. */
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

/* Slide the stripes by one bit.
 * @return by how much the distance grows over the W rows that leave */
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
 * Advance by four columns.
 *
 * @param delay  columns before this thread's first; 0 or less: it has started
 * @param all    whether all threads of the warp have started
 */
template <int W>
__device__ void sweep_quad(stripes_t<W> &s, unsigned letters, int delay, bool all,
                           const uint2 *masks)
{
    constexpr int UNROLLED = unrolled(W);
    border_t above = {ALL, 0}, below = {0, 0};
    unsigned quad = letters << 3; /* offsets into masks, in bytes */

    if (!all) {
        const unsigned idle = ~__funnelshift_lc(0u, ALL, 8 * max(delay, 0));

        above.hp = delayed_hp(delay);
        quad |= (idle & ALL_NOT_STARTED) << 3;
    }
#pragma unroll UNROLLED
    for (int k = 0; k < QUAD; k++) {
        const masks_t<2 *BAND_LETTERS> eq = {masks, quad & 0xff};

        bscan_column<W, false>(s, eq, ALL >> 1, above, below);
        quad >>= 8;
    }
}

/* @return the smallest number of edits of the paths in the window */
template <int W>
__device__ int sweep_band(const lane_pair_t &l, const window_t &at, uint2 *masks)
{
    const int ends = at.delay + l.n, n_columns = cuda_warp_max(ends);
    const int first_end = -cuda_warp_max(-ends), last_start = cuda_warp_max(at.delay);
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
        sweep_quad<W>(s, quad, at.delay - j, j >= last_start, masks);
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

#endif
