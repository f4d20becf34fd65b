/*
 * cell_layout.h - how a cell is held in one lane of 16, 32 or 64 bits.
 *
 * Scores are gap-normalised: with c the cost of a gap letter, h(i,j) = H(i,j) + c (i +
 * j). Then a gap step adds nothing, values never fall, and with counted ends all borders
 * are 0. A diagonal step adds A = match + 2c or B = mismatch + 2c; a negative one is
 * taken as 0, for two gaps are better.  A path that starts s letters along a border that
 * is free starts at h = c s; along a counted one at 0.
 *
 * A lane holds h, or h and below it the matches M, and below them what the fewest columns
 * follow from:
 *
 *  - 64 bits: Q = s + diagonal steps; columns = i + j - Q, so more is better.
 *  - 32 bits, counted ends: nothing.  h = A M + B X gives the mismatches X, and the
 * columns are m + n - M - X.  (Not if B = 0.)
 *  - 32 bits, else: h = A M + B X + c s.  Of the paths with one h and M, s runs in
 *    steps of q = B / gcd(B, c), and columns are i + j - M - (s + X), where s + X grows
 * with s if B > c and falls if B < c.  So floor(s / q) orders them, and is all that is
 * held, in the bits that are left; it saturates at the top.  Where the best cell's has
 * not saturated, every comparison on its way was exact; else the pair is doubtful and is
 *    aligned again in 64 bits.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_CELL_LAYOUT_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_CELL_LAYOUT_H

#include "kernels/align/common/align_spec.h"

/* Sweeps by what a lane holds (8 bits: differences of cells, simd_diff_body.h) and where
 * its steps come from. */
typedef enum {
    SWEEP_8,
    SWEEP_16,
    SWEEP_32,
    SWEEP_64,
    SWEEP_32_TABLE,
    SWEEP_64_TABLE,
    SWEEP_BITS,
    SWEEPS
} cell_sweep_t;

typedef enum {
    TIE_NONE,     /* columns follow from h and M */
    TIE_STEPS,    /* Q */
    TIE_FROM_LOW, /* floor(s / q), more is better */
    TIE_FROM_HIGH /* the same counted from the top, less s is better */
} cell_tie_t;

typedef struct {
    cell_sweep_t sweep;
    bool rows_free, columns_free; /* gaps at the ends against letters of the rows, of the
                                     columns; where these differ, the query's are rows */
    bool identity;
    int64_t unit;        /* score per unit of h */
    int64_t gap_cost;    /* c, in scores */
    int64_t match;       /* A, in units; of a matrix: the most of any step */
    int64_t mismatch;    /* B */
    int64_t match_score; /* the most that a column scores */
    int m_shift, h_shift;
    cell_tie_t tie;
    int64_t quantum, tie_max; /* q; what the field saturates at */
    int64_t step_match, step_mismatch;
} cell_layout_t;

/* The best place where a pair's alignment may end. */
typedef struct {
    int64_t score, matches, columns;
    int64_t h; /* counted ends: in units */
    bool doubtful;
} cell_end_t;

/*
 * Choose the narrowest form that holds every cell of pairs of at most m and n letters.
 *
 * @param exact  only forms that leave no doubt
 * @return whether there is one
 */
bool cell_layout_choose(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                        cell_layout_t *out);

/*
 * Choose the bit-parallel sweep (simd_bits_body.h).
 *
 * @return whether the scoring is one of unit costs, with counted ends and scores wanted
 */
bool cell_layout_choose_bits(const align_spec_t *spec, cell_layout_t *out);

/*
 * Choose the one-byte sweep that guards bands of identities with free ends
 * (simd_diff_body.h).
 *
 * @return whether there is one: steps must leave room for what guarding adds
 */
bool cell_layout_choose_guard(const align_spec_t *spec, cell_layout_t *out);

/* @return a diagonal step of a matrix's score */
int64_t cell_layout_step(const cell_layout_t *form, int64_t score, bool is_match);

/* @return the cell of a border that is free, k letters in; of a counted one all are cell
 *         0 */
int64_t cell_layout_border(const cell_layout_t *form, int64_t k);

/* Let a pair end at cell (i, j) if that is better than what it has. */
void cell_layout_offer(const cell_layout_t *form, int64_t cell, int64_t i, int64_t j,
                       cell_end_t *best);

/*
 * Whether no path outside the band -w <= j - i <= (n - m) + w, m <= n, is as good.
 *
 * Such a path has at most D = m - w - 1 diagonal steps: to leave the band it must put w +
 * 1 letters of the shorter sequence against gaps.  Counted ends: it has h <= D A, and
 * where they are equal every step matched, so M <= D.  Free ends: gaps may be free, but
 * its score is D times the best column's at most.  What is found in the band is at least
 * attained.
 */
bool cell_layout_certifies(const cell_layout_t *form, const cell_end_t *end, int64_t m,
                           int64_t w);

#endif
