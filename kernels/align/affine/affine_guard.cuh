/*
 * affine_guard.cuh - scores in guarded bands: the columns beside a band are bounded
 * (band_flank.cuh), so that a score proves itself.
 *
 * Cells are those of SCORE2 or SETS, but count halves or quarters (GUARD2, GUARD_SETS):
 * the bits below the score are all 1 in a value that comes from a flank.  A score whose
 * best end has another mark is exact, and all paths that reach it lie in the band.
 *
 * Inner bands.  Most best paths lie in a much narrower band, in which alone matches and
 * columns need to be computed.  So where values count quarters, those of paths that leave
 * this inner band have the mark 1, and those of others 0.  If the best end has 0, no path
 * that leaves the inner band reaches it.  The inner band is made of the columns from ..
 * to - 1 of each strip of rows, too, and paths have the mark
 *
 *  - to the left of them: in the values to the left of the strip, and in the row above;
 *  - to the right: in the last row of the strip, before the next strip has these columns
 *    in its inner band.  A path that is further to the right stays there, and comes to
 *    such a place later.  In the last column it ends with the mark.  The last strip has
 *    nothing to the right, because the band contains the last cell.
 *
 * Far flanks.  Beyond a diagonal w0 of each pair, flanks are left out: no path that goes
 * there has a score of b or more (score_band.h), where b is a lower bound of the pair's
 * score, or 0.  So a score below b proves nothing, unless no flank was left out.
 *
 * Where b is known, so are columns of flanks whose cells are dead in the last row of a
 * strip: what may follow them is too little for b (affine_band.cuh, with U; the bound of
 * a cell takes the place of h).  To the left of the first cell that is not dead the next
 * rows need no cells, because paths do not go back.  To the right, let V be the bound of
 * the last such cell, or of a cell by which paths leave the band.  In the next GUARD_ROWS
 * rows, cells that come from there and have c columns behind them are dead if
 *
 *    V + (A - e_0) (GUARD_ROWS + c) + e_0 r < K,
 *
 * where r rows are behind that of V.  All others before the last one have less.
 */
#pragma once

#include "kernels/align/affine/affine_flank.cuh"
#include "kernels/align/affine/affine_result.cuh"

namespace
{

/*
 * Score the pairs of a thread in a guarded band.
 *
 * @param memory  with the masks of guard_fill_masks
 * @param g       low, high, complete are set
 */
template <int KIND>
CUDA_BOTH inline void guard_sweep(const affine_launch_t &p, const unsigned *table,
                                  const affine_pairs_t &pairs, guard_memory_t memory,
                                  guard_t *g, guard_thread_t<KIND> &s)
{
    const packed_pairs_t &packed = pairs.packed;
    const bool row_ends = affine_ends(p, pairs, AFFINE_ROWS),
               column_ends = affine_ends(p, pairs, AFFINE_COLUMNS);
    affine_untraced_t<true> trace; /* only matches add to a cell */
    int from = 0, inner_from = 0;

    s.best = affine_join<KIND>(affine_two_gaps<KIND>(p, packed.pairs[0]),
                               affine_two_gaps<KIND>(p, packed.pairs[1]));
    affine_start_line<KIND, GUARD_ROWS>(p, pairs, memory.line, memory.stride);
    guard_start<KIND>(p, pairs, memory, affine_end_column<GUARD_ROWS>(packed, 0), g);
    guard_start_alive<KIND>(p, packed, g);
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += GUARD_ROWS) {
        const bool last = s.row0 + GUARD_ROWS == packed.n_rows;
        const int before = from, to = affine_end_column<GUARD_ROWS>(packed, s.row0);
        const int inner_before = inner_from,
                  inner_to = affine_end_column_of<GUARD_ROWS>(g->inner_high,
                                                              packed.n_columns, s.row0);

        from = affine_first_column(packed, s.row0);
        inner_from = affine_first_column_of(g->inner_low, s.row0);
        if (from > before)
            guard_leave_columns<KIND>(memory, before, from, g);
        guard_line_t level = guard_border_rows<KIND>(packed, s.row0, g);

        guard_fill_rows<KIND>(packed, s.row0, memory);
        if (from > 0)
            level = guard_sweep_left<KIND>(memory, packed, s.row0, from, level, *g);
        affine_start_band<KIND, GUARD_ROWS>(p, table, pairs, s, 0, from, memory.line,
                                            memory.stride);
        if (from > 0)
            guard_set_left<KIND>(packed, from, level, g, s);
        if (from > 0 && guard_has_bounds(p))
            guard_narrow_left<KIND>(p, packed, memory, s.row0, from, g);
        guard_mark_left<KIND>(packed, memory, from, inner_before, inner_from, *g, s);
        if (column_ends && last)
            affine_sweep_rows<KIND, GUARD_ROWS, true>(p, table, pairs, s, from, to,
                                                      memory.line, memory.stride, trace);
        else
            affine_sweep_rows<KIND, GUARD_ROWS, false>(p, table, pairs, s, from, to,
                                                       memory.line, memory.stride, trace);
        if (to < packed.n_columns)
            guard_sweep_right<KIND>(p, pairs, memory, to, g, s);
        else if (row_ends) {
            if (inner_to < to)
                guard_mark_rows<KIND>(g->inner_mark, s);
            affine_end_in_column<KIND, GUARD_ROWS>(p, pairs, s, trace);
        }
        guard_mark_right<KIND>(packed, memory, s.row0, inner_to, to, *g);
        if (column_ends && last && from > 0)
            guard_end_left<KIND>(p, pairs, memory, from, *g, s);
    }
    if (!column_ends)
        s.best = s.h[GUARD_ROWS - 1];
}

/* @return w of a band that has all columns of the warp's strips (affine_set_band)
 * @param low, high  of these, including pads */
CUDA_BOTH inline int guard_width(int low, int high, const padded_pair_t &pair)
{
    const int shift = pair.row_pads - pair.column_pads;
    const int w = max(low - shift - max(pair.m - pair.n, 0),
                      high + shift - max(pair.n - pair.m, 0));
    const int shorter = min(pair.m, pair.n);

    return w >= shorter || band_width_spares_little(shorter - w, pair.m, pair.n)
               ? BAND_WIDTH_NONE
               : w;
}

/* Note whether a pair's band was proved, for the choice of later ones. */
CUDA_BOTH inline void guard_note(const rscan_launch_t &r, unsigned index, bool proved)
{
#ifdef __CUDA_ARCH__
    if (r.outcomes != nullptr && r.banded[index] != 0)
        band_choice_note(r.outcomes, index, r.banded[index], proved);
#else
    (void)r, (void)index, (void)proved;
#endif
}

/* Store the scores of the first n_pairs, and the bands that have all their best paths;
 * list pairs whose score is not proved, and leave them their lower bound. */
template <int KIND>
CUDA_BOTH inline void guard_store(const affine_launch_t &p, const packed_pairs_t &packed,
                                  const guard_t &g, unsigned best, int n_pairs)
{
    const rscan_launch_t &r = p.rounds;

    for (int i = 0; i < kind_t<KIND>::PAIRS && i < n_pairs; i++) {
        const padded_pair_t &pair = packed.pairs[i];
        const unsigned end = best >> (16 * i) & GUARD_FIRST<KIND>;
        const int bound = guard_bound(p, pair);
        int w = BAND_WIDTH_NONE;

        affine_store_pair(p, pair, end);
        const int score = r.score[pair.index];
        const unsigned mark = end & guard_mark(p);
        const bool proved = mark != guard_mark(p) && (g.complete[i] || score >= bound);

        if (proved) {
            const int other = score_band_proved(&p.score_band, pair.m, pair.n, score);

            w = mark == 0 && g.inner_mark != 0
                    ? guard_width(g.inner_low, g.inner_high, pair)
                    : guard_width(packed.low, packed.high, pair);
            w = other >= 0 && (w < 0 || other < w) ? other : w;
        } else if (guard_has_bounds(p)) {
            w = score_band_proved(&p.score_band, pair.m, pair.n, bound);
            r.score[pair.index] = bound;
        }
        r.band_w[pair.index] = static_cast<short>(w);
        guard_note(r, pair.index, proved);
        if (!proved)
            affine_list_again(r, pair.index);
    }
}

} // namespace
