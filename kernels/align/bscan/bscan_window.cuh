/*
 * bscan_window.cuh - a window of 32 W rows that slides down a matrix, and the classes of
 * pairs by the words that they need.
 *
 * Rows are laid out in stripes (bscan_column.cuh).  Every W columns the window slides by
 * W rows: each word shifts by one bit, and a word's masks are pairs: the rows in the
 * window, and the 32 W rows below it for later slides.
 */
#pragma once

#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/cuda/cuda_classes.cuh"

namespace
{

/* Masks of a word of the window: one for each set of bases, and one more. */
enum { WARP = 32, QUAD = 4, BAND_LETTERS = 17 };

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

/* Slide the stripes by one bit; the distance grows by one per row that enters below.
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

/* Advance by the four columns of a quad.
 * @param quad   their letters, as offsets into masks, in bytes
 * @param above  changes of the distance in the row above the window */
template <int W, int UNROLLED>
__device__ __forceinline__ void sweep_window(stripes_t<W> &s, unsigned quad,
                                             border_t above, const uint2 *masks)
{
    border_t below = {0, 0};

#pragma unroll UNROLLED
    for (int k = 0; k < QUAD; k++) {
        const masks_t<2 *BAND_LETTERS> eq = {masks, quad & 0xff};

        bscan_column<W, false>(s, eq, ALL >> 1, above, below);
        quad >>= 8;
    }
}

/* Where a window is. */
struct window_place_t {
    int top;    /* its first row */
    int due;    /* columns swept since it slid last */
    int slides; /* so far */
};

/* Slide the window as far as a quad of columns has made due.
 * @param put_coming  puts the masks of the rows from a given one on, for later slides
 * @param distance    grows as it does over the rows that leave */
template <int W, class PUT>
__device__ __forceinline__ void slide_window(stripes_t<W> &s, window_place_t &at,
                                             uint2 *masks, int &distance, PUT put_coming)
{
    for (at.due += QUAD; at.due >= W; at.due -= W) {
        __syncwarp();
        if (at.slides++ % WARP == 0 && at.slides > 1) {
            put_coming(at.top + WARP * W);
            __syncwarp();
        }
        slide_masks<W>(masks);
        distance += slide_stripes(s);
        at.top += W;
        __syncwarp();
    }
}

} // namespace
