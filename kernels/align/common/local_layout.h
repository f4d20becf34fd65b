/*
 * local_layout.h - a cell of a local alignment as one integer: score, matches and a tie
 * break.
 *
 *     key = score_weight * score + match_weight * matches + tie
 *
 * All three grow by a fixed amount per step, so one addition per step, one maximum per
 * cell and the empty path's key of 0 compute the largest key of all local alignments.
 *
 * The tie break.  Mismatches and gap bases are the `others`; of alignments with the same
 * score S and matches M the one with the fewest is canonical.  Let a match score a, a
 * mismatch -b, a gap's first base -o and each further one -e.  The costs of the others
 * have the sum P = a M - S.  If each first base adds (o - b) / c to the tie and each
 * further one (e - b) / c, where c is the greatest common divisor, then
 *
 *     P = b others + c tie,
 *
 * so a larger tie means fewer others, and they follow from it.  Most ties are small,
 * because mismatches add nothing.  Where this does not apply (a matrix, b <= 0), and in
 * exact layouts, each of the others adds -1.
 *
 * Splitting a key.  Let w be match_weight, score_weight w (L + 1), where no pair of the
 * layout has more than L matches, and low .. low + w - 1 contain 0.  A key splits into
 * one tie t in this range, matches m of 0 .. L and a score s.  Let the largest key K do
 * so, of alignment A.  Suppose that the numbers of the canonical alignment C are others.
 *
 * 1. If those of A are s, m and t: C is better, but its key is not larger.  So it has
 *    m + j matches or, for each i more of score, m + j - i (L + 1), and a tie of at most
 *    t - j w, for some j >= 1.
 * 2. If they are not: A has a tie of t - j w, and m + j matches, or fewer and a larger
 *    score; or a tie of t + j w, and m - j matches; if this is below 0, more matches (at
 *    most L) and a score of s - 1 or less.
 *
 * A tie costs something.  Let the minimum cost per unit of a positive tie be rise_cost /
 * rise_tie, which is o / ((o - b) / c), and of a negative one fall_cost / fall_tie, which
 * is e / ((b - e) / c), or with ties of -1 the minimum cost of a column; rise_tie or
 * fall_tie is 0 if there are no such ties.  The costs are P, at most a (m + j) - s with a
 * tie of t - j w or less, and at most a (m - j) - s with t + j w.  A tie below 0 also
 * takes columns, at most as many as the matches leave of N, the bases of both sequences:
 * these are m + j, or if that exceeds L none perhaps.  So all is impossible, and s, m and
 * t are proved, if
 *
 *     fall_cost (w - t) > fall_tie (a (m + 1) - s)       with fall_cost w >= fall_tie a,
 *     or both w - t > fall_tie (N - 2 (m + 1)) and w (L + 1 - m) - t > fall_tie N;
 *     rise_cost (t + w) > rise_tie (a (m - 1) - s); and
 *     rise_cost (t + (m + 1) w) > rise_tie (a L - s + 1).
 */
#pragma once

#include "kernels/align/common/align_spec.h"

typedef struct {
    int64_t score_weight, match_weight; /* 1 and 0: the key is the score alone */
    int64_t mismatch, open, extend;     /* what they add to the tie */
    int64_t floor;                      /* a number that no two steps subtract */
    bool is_exact; /* ties are less than match_weight: all is proved */
    /* the numbers of the proof; b is 0 if ties are -others */
    int64_t max_matches, n_bases, low, a, b, c, rise_cost, rise_tie, fall_cost, fall_tie;
} local_layout_t;

/*
 * Choose the weights for pairs of at most m and n bases.
 *
 * @param max    lanes hold 0 .. max: keys, to which `floor` is added
 * @param exact  every pair's numbers have to be proved
 * @return whether there are any
 */
bool local_layout_choose(const align_spec_t *spec, int64_t m, int64_t n, int64_t max,
                         bool exact, local_layout_t *out);

/* @return what a column adds to a key. @param tie  what it adds to the tie */
static inline int64_t local_layout_step(const local_layout_t *f, int64_t score,
                                        bool is_match, int64_t tie)
{
    return f->score_weight * score + (is_match ? f->match_weight : tie);
}

/*
 * Split the largest key of a pair, without `floor`; matches and columns are 0 if the key
 * is the score alone, and all are if no alignment has a score above 0.
 *
 * @return whether the numbers are proved
 */
bool local_layout_split(const local_layout_t *f, int64_t key, int64_t *score,
                        int64_t *matches, int64_t *columns);
