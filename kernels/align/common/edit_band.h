/*
 * edit_band.h - bands that edit distances prove, for any two costs; counted ends.
 *
 * With gap-normalised steps A of a match and B >= 0 of a mismatch (cell_layout.h), a path
 * of M matches, X mismatches and G gap letters has 2 M + 2 X + G = m + n, so that its
 * score h = A M + B X tells what it costs:
 *
 *    cost = A (m + n) - 2 h = K X + A G    with K = 2 (A - B)
 *
 * All paths have X + G >= E, the edit distance.  One that leaves the band -w <= j - i <=
 * (n - m) + w, m <= n, has w + 1 gap letters to get out and as many to come back beside
 * the n - m, and likewise for m > n: G >= g = 2 (w + 1) + |n - m|.  With k = min(A, K)
 *
 *    cost >= k (X + G) + (A - k) G >= k max(E, g) + (A - k) g.
 *
 * A path of less is in the band, as are all that are as good.  E is found 32 cells at a
 * time (bscan_batch.cuh), and costs that are nearly those of edits leave a band little
 * wider than the gaps that there are.  Without E, 0 stands for it: then it is the
 * certificate of cell_layout_certifies.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_EDIT_BAND_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_EDIT_BAND_H

#include "kernels/align/common/band_width.h"

#ifdef __CUDACC__
#define EDIT_BAND_FN __host__ __device__ static inline
#else
#define EDIT_BAND_FN static inline
#endif

typedef struct {
    int64_t gap, mismatch; /* A and K > 0, in whatever unit */
} edit_costs_t;

/* Of real 16S genes' edits, but for the gap letters that lengths ask for, so many are gap
 * letters, or mismatches: in nineteen of twenty pairs no more. */
#define EDIT_BAND_GAPS       0.32
#define EDIT_BAND_MISMATCHES 0.85
EDIT_BAND_FN int64_t edit_band_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* @return what a path that leaves a band costs at least. @param skew  |n - m| */
EDIT_BAND_FN int64_t edit_band_min(edit_costs_t c, int64_t edits, int64_t skew, int64_t w)
{
    const int64_t k = c.gap < c.mismatch ? c.gap : c.mismatch, g = 2 * (w + 1) + skew;

    return k * edit_band_larger(edits, g) + (c.gap - k) * g;
}

/* @return the least w >= 0 of a band that a path of a cost proves: what leaves it costs
 *         more */
EDIT_BAND_FN int64_t edit_band_proved(edit_costs_t c, int64_t edits, int64_t skew,
                                      int64_t cost)
{
    const int64_t k = c.gap < c.mismatch ? c.gap : c.mismatch, over = cost - k * edits;
    int64_t g = cost / c.gap + 1; /* if that is more than the edits ... */

    if (over < 0)
        g = 0;
    else if (c.gap > k && over / (c.gap - k) < edits) /* ... and if it is not */
        g = over / (c.gap - k) + 1;
    return g <= skew + 2 ? 0 : (g - skew - 1) / 2;
}

/* @return a w that will most likely do, or BAND_WIDTH_NONE */
EDIT_BAND_FN int32_t edit_band_guess(edit_costs_t c, int64_t edits, int64_t m, int64_t n)
{
    const int64_t skew = m < n ? n - m : m - n, shorter = m < n ? m : n;
    const double free_edits = (double)(edits - skew);
    const double gaps = (double)skew + EDIT_BAND_GAPS * free_edits;
    const double cost =
        c.gap > c.mismatch
            ? (double)c.mismatch * ((double)edits - gaps) + (double)c.gap * gaps
            : (double)c.gap * (double)edits +
                  EDIT_BAND_MISMATCHES * (double)(c.mismatch - c.gap) * free_edits;
    const int64_t w = edit_band_proved(c, edits, skew, (int64_t)cost);
    const double left = (double)(shorter - w);

    return w >= shorter || band_width_spares_little(left, (double)m, (double)n)
               ? BAND_WIDTH_NONE
               : (int32_t)w;
}

#endif
