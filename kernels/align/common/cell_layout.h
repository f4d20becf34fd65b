/*
 * cell_layout.h - how a cell is stored in one lane of 8, 16, 32 or 64 bits.
 *
 * Normalised scores.  Let c be the cost of a gap base.  A lane holds h(i,j) = H(i,j) +
 * c (i + j).  A gap step then adds 0, values never decrease along a path, and with
 * counted ends all border cells are 0.  A diagonal step adds A = match + 2c or B =
 * mismatch + 2c; a negative B is taken as 0, since two gaps score more.  A path that
 * starts s bases along a free border starts with h = c s, one along a counted border with
 * h = 0.
 *
 * Affine gaps.  Here c is the cost of a gap's further bases, and its first one costs o
 * more.  Lanes also hold E and F, the best of the paths that end with a gap
 * (nw_reference.c), to which a further base adds 0.  A counted border has h = -o.  A
 * negative B is kept, since two gaps may score less.  All values are raised by a bias, so
 * that none is negative.  Linear gaps with priced ends are affine ones of o = 0; s bases
 * along a priced border have h = c s and their own score.
 *
 * Identity.  Below h a lane holds the matches M, and below these a tie break, from which
 * the minimum of columns follows.  Let X be the number of mismatches.
 *
 *  - 64 bits: the tie break is Q = s + diagonal steps.  Since columns = i + j - Q, a
 *    larger Q is better.
 *  - 32 bits, counted ends: there is no tie break.  h = A M + B X yields X (if B is not
 *    0), and columns = m + n - M - X.
 *  - 32 bits, free ends: h = A M + B X + c s.  Among paths of equal h and M the sum
 *    B X + c s is constant, so s changes in steps of q = B / gcd(B, c).  Now columns =
 *    i + j - M - (s + X), where s + X increases with s if B > c, and decreases if B < c.
 *    So floor(s / q) orders these paths.  The tie break holds it in the bits that are
 *    left, and saturates at their maximum.  If that of the best cell has not saturated,
 *    all comparisons on its path were exact.  Otherwise the pair is doubtful and is
 *    aligned again in 64 bits.  GPUs encode floor(s / q) in another way (tie_code.h).
 *  - 32 bits, affine gaps, of pairs whose score is known.  A lane holds h H + M W + T,
 *    with T = s + X, where M may exceed H / W, and T may exceed W.  As a sum over a
 *    path's steps, its maximum is exact.  Let R W + T, T < W, be the maximum of an end
 *    cell less H times the h that yields the score.  Proofs that M = R, and that columns
 *    follow from T.  Let L be the longer of i and j, with counted ends the shorter one.
 *     1. A path has T <= L - M.  If its T = k W + ... then M = R - k, and so
 *        k (W - 1) <= L - R: if L - R <= W - 2, k = 0.
 *     2. A path with h less by d has M >= R + (d H - T) / W.  There is none if
 *        R + (H - L) / W exceeds the shorter of i and j.
 *    So no path with a smaller h, or with less of M, has a larger value.  A pair whose
 *    best end fails one of both is doubtful.
 */
#pragma once

#include "kernels/align/common/align_spec.h"

/* The kernels' sweeps over a matrix: the bits of a lane (8 bits hold differences of
 * cells, simd_diff_body.h, or affine cells of tiles, simd_tile_affine_body.h); TABLE:
 * steps come from a matrix; NEUTRAL: from align_scoring_t.neutral; BITS: bit-parallel. */
typedef enum {
    SWEEP_8,
    SWEEP_16,
    SWEEP_32,
    SWEEP_64,
    SWEEP_32_TABLE,
    SWEEP_64_TABLE,
    SWEEP_32_NEUTRAL,
    SWEEP_BITS,
    SWEEP_8_PROFILE, /* SWEEP_8 of affine gaps under a matrix, if all rows are equal */
    SWEEPS
} cell_sweep_t;

typedef enum {
    TIE_NONE,     /* columns follow from h and M */
    TIE_STEPS,    /* Q */
    TIE_KNOWN,    /* T: the pairs' scores are known */
    TIE_FROM_LOW, /* floor(s / q): more of s is better */
    TIE_FROM_HIGH /* tie_max - floor(s / q): less of s is better */
} cell_tie_t;

typedef struct {
    cell_sweep_t sweep;
    bool rows_free, columns_free; /* whether end gaps against the rows' and the columns'
                                   * bases are free or priced; if only those against one
                                   * are, the query is rows */
    bool priced;                  /* end gaps have costs of their own */
    align_gap_t end_gap;          /* those; else 0, 0 */
    bool affine;                  /* E and F are held, too */
    bool identity;                /* M and the tie break are held */
    int64_t unit;                 /* score per unit of h */
    int64_t gap_cost;             /* c, in scores */
    int64_t open;                 /* o, in units */
    int64_t bias;                 /* of affine cells, in units */
    int32_t tile;                 /* 8-bit affine cells: rows and columns of a tile */
    int64_t match, mismatch;      /* A and B, in units; matrix: maximum and minimum */
    int64_t match_score;          /* maximum score of a column */
    int m_shift, h_shift;         /* where M and h begin; else, with TIE_KNOWN: */
    int64_t known_m, known_h;     /* W and H */
    cell_tie_t tie;
    int64_t quantum, tie_max;          /* q; the value at which the tie break saturates */
    int64_t step_match, step_mismatch; /* cell_layout_step of both */
    int64_t step_neutral[2];           /* of columns that score 0 because of a code
                                        * (align_scoring_t.neutral): mismatch, match */
    int64_t step_open;                 /* o in a lane */
    int64_t no_path;                   /* an affine lane beside a band */
} cell_layout_t;

/* The best cell so far in which a pair's alignment may end. */
typedef struct {
    int64_t score, matches, columns;
    int64_t h;     /* counted ends: in units */
    bool doubtful; /* its tie break has saturated */
    int64_t i, j;  /* the cell; of equal ones that in the last row, then column; 0, 0: no
                    * cell yet */
} cell_end_t;

/*
 * Choose the narrowest layout that holds every cell of pairs of at most m and n bases.
 *
 * @param exact  only layouts in which no pair can be doubtful
 * @return whether there is one
 */
bool cell_layout_choose(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                        cell_layout_t *out);

/*
 * Choose the layout of 32 bits for affine gaps and pairs whose scores are known.
 *
 * @return whether there is one, in which few pairs that resemble each other are doubtful
 */
bool cell_layout_choose_known(const align_spec_t *spec, int64_t m, int64_t n,
                              cell_layout_t *out);

/*
 * Choose SWEEP_8_PROFILE for the scores of pairs of at most m and n bases, whatever the
 * spec emits.
 *
 * @return whether it holds them
 */
bool cell_layout_choose_profile(const align_spec_t *spec, int64_t m, int64_t n,
                                cell_layout_t *out);

/*
 * Choose the bit-parallel sweep (simd_bits_body.h).
 *
 * @return whether it applies: unit costs, counted ends, and only scores
 */
bool cell_layout_choose_bits(const align_spec_t *spec, cell_layout_t *out);

/*
 * Choose the 8-bit sweep for the scores of pairs whose identities are computed afterwards
 * (simd_diff_body.h): it guards bands, and yields known scores.
 *
 * @param len  maximum bases of a sequence
 * @return whether it applies, to affine gaps or free ends: guarding adds to the steps,
 *         which must still fit
 */
bool cell_layout_choose_first(const align_spec_t *spec, int64_t len, cell_layout_t *out);

/* @return the value that a diagonal step adds to a cell, for a column's score */
int64_t cell_layout_step(const cell_layout_t *layout, int64_t score, bool is_match);

/* @return the cell k bases along a border, whose end gaps are free or priced, or counted
 */
int64_t cell_layout_border(const cell_layout_t *layout, bool is_free, int64_t k);

/* @return the score of cell (i, j), and of a free or priced gap of `behind` bases that
 *         ends the alignment */
static inline int64_t cell_layout_score(const cell_layout_t *layout, int64_t cell,
                                        int64_t i, int64_t j, int64_t behind)
{
    return ((cell >> layout->h_shift) - layout->bias) * layout->unit -
           layout->gap_cost * (i + j) + align_gap_score(layout->end_gap, behind);
}

/* @return what a cell of TIE_KNOWN holds beside the h that yields the score with such a
 *         gap; < 0: it does not attain this h */
static inline int64_t cell_layout_known_rest(const cell_layout_t *layout, int64_t cell,
                                             int64_t i, int64_t j, int64_t behind,
                                             int64_t score)
{
    int64_t h =
        score - align_gap_score(layout->end_gap, behind) + layout->gap_cost * (i + j);

    if (layout->unit != 1) /* a division takes time, for each cell in which pairs end */
        h /= layout->unit;
    return cell - (h + layout->bias) * layout->known_h;
}

/* Replace the best end by cell (i, j), with such a gap, if that is better, or as good and
 * further on.  With
 * TIE_KNOWN the best end has the pair's score, and at first -1 matches. */
void cell_layout_offer(const cell_layout_t *layout, int64_t cell, int64_t i, int64_t j,
                       int64_t behind, cell_end_t *best);

/*
 * Prove that the best path in the band -w <= j - i <= (n - m) + w, m <= n, is the best of
 * all.
 *
 * Proof.  A path that leaves the band puts w + 1 bases of the shorter sequence against
 * gaps, so it has at most D = m - w - 1 diagonal steps.
 *  - Counted ends: it has h <= D A, and if h = D A, all D steps are matches, so M = D.
 *    The end is better if it has h > D A, or h = D A and M > D.  It is as good if it has
 *    h = D A and M = D and there is no tie break, since h and M then determine the
 *    columns.
 *  - Free ends: its gaps may be free, but it scores at most D times the best column's
 *    score.  The end is better if it scores more; for scores alone equal is enough.
 * The end's own values are attained by a path in the band.
 *
 * @param end  the best end of a sweep over the band
 * @return whether it is proved
 */
bool cell_layout_certifies(const cell_layout_t *layout, const cell_end_t *end, int64_t m,
                           int64_t w);

/* Prove more of an end that is proved to be the best: that paths outside of the band are
 * not even as good, so that it holds all best paths. */
bool cell_layout_holds_all(const cell_layout_t *layout, const cell_end_t *end, int64_t m,
                           int64_t w);

/*
 * Decide whether comparisons of cells, and their ties, are those of the definition along
 * the best paths to an end that is not doubtful, so that these can be followed back.
 *
 * Let a best path P lead through a cell, and P' be another path to this cell, with the
 * same value in the lane.  With the rest of P, P' leads to the end, and attains its value
 * in the lane.  Only paths with the end's own h, M and columns do: each value of a lane
 * stands for one of these, but for tie breaks that have saturated, and T >= W; an end
 * with one of these is doubtful.  So P' has all three numbers of P at the cell.
 *
 * Linear gaps of which two score more than a mismatch are left out: such a mismatch is
 * given the value of two gaps.
 */
static inline bool cell_layout_is_traceable(const cell_layout_t *f)
{
    return f->identity && (f->affine || f->mismatch >= 0);
}
