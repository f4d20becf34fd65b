/*
 * tie_code.h - the tie break of 32-bit cells with free ends on GPUs, and the windows in
 * which doubtful pairs are aligned again.
 *
 * Codes.  Of paths with equal h and M that end in one cell, the one with the largest t =
 * floor(s / q) is the best, or with TIE_FROM_HIGH the one with the smallest
 * (cell_layout.h).  A tie break has too few bits for t.  It holds a code of t that never
 * falls as t grows.  Nothing changes t along a path, so a cell holds the code of its best
 * path, whatever the code is.  First the codes 0 .. n_fine - 1 are t itself, and each of
 * the others stands for 2^shift values.
 *
 * Candidates.  The end (i, j) of a path, its M, and rest = h - A M = B X + c s leave few
 * values of t.  Let g = gcd(B, c) and u = c / g, so that q = B / g.  From s = r + q t
 * with r < q follows X = X0 - u t.  All of the path's steps are known then: D = M + X
 * diagonal ones, and
 *
 *    from the left border (s, 0):  i - s - D  down and  j - D      to the right,
 *    from the upper one (0, s):    i - D      down and  j - s - D  to the right.
 *
 * X and these numbers are not negative.  Each is linear in t, so the t of each border are
 * an interval, and candidates are those from the smallest to the largest of both.  The t
 * of the best path is a candidate and has the code of the cell.  If only one value is
 * and has, it is certain.
 *
 * Windows.  Otherwise the pair is aligned again.  Its code is then (t - w) / 2^z, limited
 * to 0 .. max, where w is the smallest value in question, and z the smallest number such
 * that all of them have codes of their own or, if they are too many, share them evenly.
 * Limiting keeps the order, so the argument above holds again.
 *
 * Bands.  The path has at most G gap bases, the largest number that a candidate with the
 * code leaves, so it stays within G of the end's diagonal.  A band of this width contains
 * all best paths to this end.  Cells outside may be taken too low there, never too high,
 * so no end is found to be better than it is, and this one is found as it is.  Ends that
 * are equally good may lie outside the band.  So only pairs without any are aligned in
 * windows, and the others in 64 bits.
 */
#pragma once

#include "kernels/align/common/cell_layout.h"

#include <limits.h>
#include <string.h>

#ifdef __CUDACC__
#define TIE_CODE_FN __host__ __device__ static inline
#else
#define TIE_CODE_FN static inline
#endif

typedef struct {
    int max;              /* the largest code */
    int n_fine, shift;    /* as above */
    unsigned per_quantum; /* 2^32 / q, rounded up; 0: q is 1 */
    int b, c, q, u;       /* as above */
    bool rows_free;       /* whether paths may start at the left border */
    bool falling;         /* TIE_FROM_HIGH: the smallest t is the best */
} tie_code_t;

/* The end of a path. */
typedef struct {
    int i, j, matches;
    int rest; /* h - A M = B X + c s */
} tie_end_t;

/* What the end and the code of its cell say about the path. */
typedef struct {
    int overhang; /* s + X; in doubt at least this */
    int window;   /* TIE_SURE, or the window to align the pair in */
    int gaps;     /* G */
} tie_start_t;

/* A window is one number: TIE_SURE for none, or w and above it z + 1.  TIE_OPEN stands
 * for a pair that has to be aligned in 64 bits. */
enum { TIE_SURE = 0, TIE_OPEN = INT_MAX, TIE_WINDOW_BITS = 24 };

/* Values of t; none if low > high. */
typedef struct {
    int low, high;
} tie_range_t;

TIE_CODE_FN int tie_code_min(int a, int b)
{
    return a < b ? a : b;
}

TIE_CODE_FN int tie_code_max(int a, int b)
{
    return a > b ? a : b;
}

/* @param layout  with free columns and a tie break TIE_FROM_...; others have no codes
 * @param len     maximum bases of a sequence, at most 2^20 */
static inline tie_code_t tie_code_of(const cell_layout_t *layout, int64_t len)
{
    const int64_t n_codes = layout->tie_max + 1, q = layout->quantum;
    int64_t more, n_coarse = 0; /* values beyond the codes, if all were fine */
    tie_code_t f;

    memset(&f, 0, sizeof(f));
    if (layout->tie != TIE_FROM_LOW && layout->tie != TIE_FROM_HIGH)
        return f;
    f.max = (int)layout->tie_max;
    f.b = (int)layout->mismatch;
    f.c = (int)layout->gap_cost;
    f.q = (int)q;
    f.u = (int)(layout->gap_cost * q / layout->mismatch);
    f.rows_free = layout->rows_free;
    f.falling = layout->tie == TIE_FROM_HIGH;
    f.per_quantum = q > 1 ? (unsigned)((INT64_C(1) << 32) / q + 1) : 0;
    while ((INT64_C(1) << f.shift) < n_codes)
        f.shift++;
    if ((more = len / q + 1 - n_codes) > 0)
        for (f.shift--; n_coarse == 0 || n_coarse > n_codes / 2;) {
            const int64_t gain = (INT64_C(1) << ++f.shift) - 1;

            n_coarse = (more + gain - 1) / gain;
        }
    f.n_fine = (int)(n_codes - n_coarse);
    return f;
}

/* @param s  bases in front of a path
 * @return the code of floor(s / q) */
TIE_CODE_FN int tie_code_at(const tie_code_t *f, int s, int window)
{
    const int t =
        f->per_quantum == 0 ? s : (int)((uint64_t)(unsigned)s * f->per_quantum >> 32);
    int code = t;

    if (window != TIE_SURE)
        code = tie_code_max(t - (window & ((1 << TIE_WINDOW_BITS) - 1)), 0) >>
               ((window >> TIE_WINDOW_BITS) - 1);
    else if (t >= f->n_fine)
        code = f->n_fine + ((t - f->n_fine) >> f->shift);
    return tie_code_min(code, f->max);
}

/* @return the values that have a code, of a path that has one */
TIE_CODE_FN tie_range_t tie_code_range(const tie_code_t *f, int code, int window)
{
    const int w = window & ((1 << TIE_WINDOW_BITS) - 1);
    const int z = window == TIE_SURE ? f->shift : (window >> TIE_WINDOW_BITS) - 1;
    const int first = window == TIE_SURE ? f->n_fine - (f->n_fine << z) : w;
    tie_range_t range = {first + (code << z), first + ((code + 1) << z) - 1};

    if (window == TIE_SURE && code < f->n_fine)
        range.low = range.high = code;
    return range;
}

/* @param x0     X if t is 0
 * @param r      s if t is 0
 * @param along  i or j, that of the border's direction; across: the other one
 * @return the candidates of one border */
TIE_CODE_FN tie_range_t tie_code_candidates(const tie_code_t *f, int matches, int x0,
                                            int r, int along, int across)
{
    const int behind = matches + x0 - across, left = along - r - matches - x0;
    tie_range_t range = {0, x0 < 0 ? -1 : x0 / f->u};

    if (behind > 0)
        range.low = (behind + f->u - 1) / f->u;
    if (f->q > f->u)
        range.high = left < 0 ? -1 : tie_code_min(range.high, left / (f->q - f->u));
    else if (left < 0)
        range.low = tie_code_max(range.low, (f->u - f->q - left - 1) / (f->u - f->q));
    return range;
}

/* @return the window of candidates low .. high */
TIE_CODE_FN int tie_code_window(const tie_code_t *f, tie_range_t range)
{
    int z = 0;

    if (range.low == range.high)
        return TIE_SURE;
    while ((range.high - range.low) >> z > f->max)
        z++;
    return (z + 1) << TIE_WINDOW_BITS | range.low;
}

/* @return the candidates of both borders */
TIE_CODE_FN tie_range_t tie_code_all_candidates(const tie_code_t *f, tie_end_t e, int x0,
                                                int r)
{
    const tie_range_t upper = tie_code_candidates(f, e.matches, x0, r, e.j, e.i);
    const tie_range_t left = tie_code_candidates(f, e.matches, x0, r, e.i, e.j);
    tie_range_t both = upper;

    if (!f->rows_free || left.low > left.high)
        return upper;
    if (upper.low > upper.high)
        return left;
    both.low = tie_code_min(upper.low, left.low);
    both.high = tie_code_max(upper.high, left.high);
    return both;
}

/* @return s if t is 0 */
TIE_CODE_FN int tie_code_remainder(const tie_code_t *f, int rest)
{
    int r = 0;

    while (r < f->q - 1 && (rest - f->c * r) % f->b != 0)
        r++;
    return r;
}

/* @return s + X of the path that has t */
TIE_CODE_FN int tie_code_overhang(const tie_code_t *f, int rest, int t)
{
    const int s = tie_code_remainder(f, rest) + f->q * t;

    return s + (rest - f->c * s) / f->b;
}

/* @param code  of the cell that the path ends in */
TIE_CODE_FN tie_start_t tie_code_read(const tie_code_t *f, tie_end_t e, int code,
                                      int window)
{
    const tie_range_t coded = tie_code_range(f, code, window);
    const int r = tie_code_remainder(f, e.rest), x0 = (e.rest - f->c * r) / f->b;
    tie_range_t range = tie_code_all_candidates(f, e, x0, r);
    tie_start_t out;

    if (range.low <= coded.high && coded.low <= range.high) {
        range.low = tie_code_max(range.low, coded.low);
        range.high = tie_code_min(range.high, coded.high);
    } /* else this is the empty alignment, or a cell beside a band */
    out.window = tie_code_window(f, range);
    out.overhang = r + x0 + (f->q - f->u) * (f->falling ? range.high : range.low);
    out.gaps =
        e.i + e.j - r - 2 * (e.matches + x0) +
        tie_code_max((2 * f->u - f->q) * range.low, (2 * f->u - f->q) * range.high);
    return out;
}
