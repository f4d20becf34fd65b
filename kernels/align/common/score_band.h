/*
 * score_band.h - bands that are proved by a score, for any costs of gaps and end gaps.
 *
 * Let m and n be the bases of query and target, and the band -w - max(m - n, 0) <= j - i
 * <= w + max(n - m, 0).  Let a path leave it at a cell (i, j) with j - i >= w + 1 + max(n
 * - m, 0).  Up to there it has consumed j - i more bases of the target than of the query,
 * so it has put at least as many against gaps.  From there on it consumes (m - i) - (n -
 * j) = (j - i) - (n - m) >= w + 1 + max(m - n, 0) more bases of the query than of the
 * target.  On the other side of the band the same holds with both exchanged.  So in all
 * the path puts at least
 *
 *    w + 1 + max(m - n, 0) bases of the query and w + 1 + max(n - m, 0) of the target
 *
 * against gaps, and has at most min(m, n) - w - 1 columns of two bases, each of which
 * scores at most `match`.  A gap of k bases costs surplus + k extend, where both are the
 * minimum over all kinds of gaps against that sequence: inside, counted, free or priced.
 * There is at least one gap against either sequence.  Their sum bounds the score of every
 * path that leaves the band.  It falls by match + extend + extend with each step of w.
 *
 * Paths that score more than the bound lie in the band.  So any lower bound of a pair's
 * score, such as the best score in some other band, proves a band that has all of the
 * pair's best paths.
 */
#pragma once

#include "kernels/align/common/band_width.h"

#ifdef __CUDACC__
#define SCORE_BAND_FN __host__ __device__ static inline
#else
#define SCORE_BAND_FN static inline
#endif

typedef struct {
    int64_t match;      /* what a column of two bases scores at most */
    int64_t surplus[2]; /* of gaps against bases of the query, and of the target */
    int64_t extend[2];  /* likewise */
    int32_t first_w;    /* maximum w of first bands */
} score_band_t;

/* The first band of a pair, which finds a score: w is at most FIRST or, where all ends
 * are free and paths begin beside the diagonal, FIRST_FREE, and 1 / DIVISOR of the
 * shorter sequence; pairs with a sequence of fewer than MIN bases have none. */
enum {
    SCORE_BAND_FIRST = 64,
    SCORE_BAND_FIRST_FREE = 80,
    SCORE_BAND_DIVISOR = 8,
    SCORE_BAND_MIN = 128
};

/* @return whether scores prove bands under a spec */
static inline bool score_band_applies(const align_spec_t *spec, score_band_t *out)
{
    const align_scoring_t *s = &spec->scoring;

    out->match = align_scoring_range(s).max;
    out->first_w = spec->ends == ENDS_FREE ? SCORE_BAND_FIRST_FREE : SCORE_BAND_FIRST;
    for (int k = 0; k < 2; k++) {
        const align_gap_t gap = align_scoring_gap(s), end = align_end_gap(spec, k == 0);
        const int64_t surplus = (int64_t)gap.extend - gap.open;
        const int64_t end_surplus = (int64_t)end.extend - end.open;

        out->surplus[k] = surplus < end_surplus ? surplus : end_surplus;
        out->extend[k] = -(int64_t)(gap.extend > end.extend ? gap.extend : end.extend);
    }
    return out->match >= 0 && out->match + out->extend[0] + out->extend[1] > 0;
}

/* @return the maximum score of the paths that leave the band; w < min(m, n)
 * @param m, n  bases of query and target */
SCORE_BAND_FN int64_t score_band_outside(const score_band_t *b, int64_t m, int64_t n,
                                         int64_t w)
{
    const int64_t shorter = m < n ? m : n, out = w + 1;

    return b->match * (shorter - out) - b->surplus[0] - b->surplus[1] -
           b->extend[0] * (out + m - shorter) - b->extend[1] * (out + n - shorter);
}

/* @return the minimum w >= 0 such that every path that leaves the band scores less than
 *         `score`, or BAND_WIDTH_NONE if that band leaves out too little
 * @param m, n  bases of query and target */
SCORE_BAND_FN int32_t score_band_proved(const score_band_t *b, int64_t m, int64_t n,
                                        int64_t score)
{
    const int64_t over = score_band_outside(b, m, n, -1) - score;
    const int64_t shorter = m < n ? m : n;
    const int64_t w = over < 0 ? 0 : over / (b->match + b->extend[0] + b->extend[1]);

    return w >= shorter ||
                   band_width_spares_little((double)(shorter - w), (double)m, (double)n)
               ? BAND_WIDTH_NONE
               : (int32_t)w;
}

/* @return w of the first band of a pair, or BAND_WIDTH_NONE
 * @param times  as wide as most are; 1: as these */
SCORE_BAND_FN int32_t score_band_first(const score_band_t *b, int64_t m, int64_t n,
                                       int32_t times)
{
    const int64_t shorter = m < n ? m : n;
    int64_t w = b->first_w;

    if (w > shorter / SCORE_BAND_DIVISOR)
        w = shorter / SCORE_BAND_DIVISOR;
    w *= times;
    return shorter < SCORE_BAND_MIN ||
                   band_width_spares_little((double)(shorter - w), (double)m, (double)n)
               ? BAND_WIDTH_NONE
               : (int32_t)w;
}
