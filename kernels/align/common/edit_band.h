/*
 * edit_band.h - bands that are proved by edit distances, for any two costs; counted ends.
 *
 * Costs.  Let A be the normalised step of a match and B >= 0 that of a mismatch
 * (cell_layout.h).  A path of M matches, X mismatches and G gap bases has 2 M + 2 X + G =
 * m + n.  Its score h = A M + B X therefore yields its cost:
 *
 *    cost = A (m + n) - 2 h = K X + A G    with K = 2 (A - B)
 *
 * Bound.  Every path has X + G >= E, the edit distance.  Let m <= n.  A path that leaves
 * the band -w <= j - i <= (n - m) + w needs w + 1 gap bases to leave it and as many to
 * return, besides the n - m that the lengths require; likewise for m > n.  So it has
 * G >= g = 2 (w + 1) + |n - m|, and with k = min(A, K)
 *
 *    cost >= k (X + G) + (A - k) G >= k max(E, g) + (A - k) g.
 *
 * A path that costs less is inside the band, and so are all paths that are as good.
 * Without E, 0 stands for it; the bound is then that of cell_layout_certifies.
 *
 * E is computed 32 cells at a time (bscan_batch.cuh).  If costs are nearly those of
 * edits, the band is little wider than the gaps of the alignment.
 */
#pragma once

#include "kernels/align/common/band_width.h"

#ifdef __CUDACC__
#define EDIT_BAND_FN __host__ __device__ static inline
#else
#define EDIT_BAND_FN static inline
#endif

typedef struct {
    int64_t gap, mismatch; /* A and K > 0, in any unit */
} edit_costs_t;

/* Gap bases and mismatches per edit of real 16S genes, without the gap bases that the
 * lengths require: 19 of 20 pairs have at most these. */
#define EDIT_BAND_GAPS       0.32
#define EDIT_BAND_MISMATCHES 0.85
EDIT_BAND_FN int64_t edit_band_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* @return the minimum cost of a path that leaves the band. @param skew  |n - m| */
EDIT_BAND_FN int64_t edit_band_min(edit_costs_t c, int64_t edits, int64_t skew, int64_t w)
{
    const int64_t k = c.gap < c.mismatch ? c.gap : c.mismatch, g = 2 * (w + 1) + skew;

    return k * edit_band_larger(edits, g) + (c.gap - k) * g;
}

/* @return the minimum w >= 0 such that every path that leaves the band costs more than
 *         `cost` */
EDIT_BAND_FN int64_t edit_band_proved(edit_costs_t c, int64_t edits, int64_t skew,
                                      int64_t cost)
{
    const int64_t k = c.gap < c.mismatch ? c.gap : c.mismatch, over = cost - k * edits;
    int64_t g = cost / c.gap + 1; /* if g > edits ... */

    if (over < 0)
        g = 0;
    else if (c.gap > k && over / (c.gap - k) < edits) /* ... and if g <= edits */
        g = over / (c.gap - k) + 1;
    return g <= skew + 2 ? 0 : (g - skew - 1) / 2;
}

/* @return a w that most likely suffices, or BAND_WIDTH_NONE */
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
