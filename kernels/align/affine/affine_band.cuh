/*
 * affine_band.cuh - the columns that a thread sweeps with affine gaps, and the blocks of
 * them that tie breaks count from (affine_layout.cuh).
 *
 * Bands.  The rows that a thread holds are swept from the first column of the band in the
 * first of them to the last one in the last of them.  Beside these columns H is less than
 * that of any path to the same cell, and E and F are "no path" (affine_layout.cuh).  A
 * path that comes from there has the value of no alignment, but each of its cells has
 * less than that of some path to it, because both go on with the same steps.
 *
 * Narrowing.  A pair with a band has a known score, which some alignment attains.  A cell
 * is dead if all paths through it score less.  Let r rows and c columns lie behind a cell
 * with H, `match`, extend[0] and extend[1] be those of score_band_t for bases of rows and
 * columns, and S = match + extend[0] + extend[1] > 0.  What follows the cell scores at
 * most
 *
 *    U(r, c) = match r - extend[1] (c - r)  if r <= c,
 *              match c - extend[0] (r - c)  if c <= r,
 *
 * since it has at most min(r, c) columns of two bases, and each one less costs S.  U is
 * the smaller one of both expressions for any r and c, for they differ by S (r - c).  In
 * normalised values, with e_k = c0 - extend[k] where c0 is the layout's c, K = score +
 * bias + c0 (m + n) and V = h + e_1 c, a cell is dead if
 *
 *    V < K - (S + e_0) r    or    h + (S + e_1) c < K - e_0 r.
 *
 * H + U never grows along a path, so what follows a dead cell is dead.
 *
 * The next rows are swept from the first cell of the last row that the left inequality
 * leaves (or from the column where they were, if a left border does not leave the band).
 * They end where the right one has all cells dead: a path that comes from column j0 of
 * the last row to one of the ROWS next rows, x columns behind j0, has at most ROWS
 * diagonal steps, each worth S + e_0 + e_1.  It is dead there for all rows if
 *
 *    h + S ROWS + e_0 ROWS + e_1 x + (S + e_1) c < K - e_0 (r - ROWS)
 *
 * with h of the cell in column j0 and r of the last row.  As x = c0 - c, where c0 lie
 * behind j0, this says V + S c < K - e_0 r - S ROWS.  The end never moves back, so that
 * columns behind it have not been swept before.
 */
#pragma once

#include "kernels/align/affine/affine_cell.cuh"

#include <climits>

namespace
{

constexpr int AFFINE_NO_TARGET = INT_MIN / 2;

/* The pairs of a thread. */
struct affine_pairs_t {
    packed_pairs_t packed;
    int max_row_pads; /* in the warp */
    int swapped;      /* 1: the rows are the target where ends differ; else 0 */
};

/* What the gaps against bases of the rows are, or of the columns. */
enum affine_of_t { AFFINE_ROWS, AFFINE_COLUMNS };

/* @return whether terminal gaps run along the last column, or the last row */
CUDA_BOTH inline bool affine_ends(const affine_launch_t &p, const affine_pairs_t &pairs,
                                  affine_of_t of)
{
    return p.layout.sides[of ^ pairs.swapped].ends;
}

/* @return for ties: R of the rows from row0 on, in a column */
template <int KIND>
CUDA_BOTH inline int affine_origin(const affine_launch_t &p, const affine_pairs_t &pairs,
                                   int row0, int column)
{
    const padded_pair_t &pair = pairs.packed.pairs[0];
    const int rows = max(row0 - pair.row_pads, 0);

    return AFFINE_HAS_TIES<KIND> && p.layout.tie_columns
               ? max(rows,
                     column / AFFINE_TIE_COLUMNS * AFFINE_TIE_COLUMNS - pair.column_pads)
               : rows;
}

/* @return for ties: how much R grows from the rows above to the rows from row0 on */
template <int KIND, int ROWS>
CUDA_BOTH inline unsigned affine_drop(const affine_launch_t &p,
                                      const affine_pairs_t &pairs, int row0, int column)
{
    return AFFINE_HAS_TIES<KIND>
               ? static_cast<unsigned>(affine_origin<KIND>(p, pairs, row0, column) -
                                       affine_origin<KIND>(p, pairs, row0 - ROWS, column))
               : 0;
}

/* @return for ties: the next column where R may differ from that of the column before */
template <int KIND>
CUDA_BOTH inline int affine_next_block(const affine_launch_t &p, int column)
{
    return AFFINE_HAS_TIES<KIND> && p.layout.tie_columns
               ? (column / AFFINE_TIE_COLUMNS + 1) * AFFINE_TIE_COLUMNS
               : -1;
}

/* @return a word with a value in each of its lanes */
template <int KIND, typename WORD>
CUDA_BOTH inline WORD affine_join(WORD first, WORD second)
{
    if constexpr (AFFINE_TWO<KIND>)
        return first | second << 16;
    else
        return first;
}

/* Pad the pairs to the size of the warp's largest ones. */
template <int PAIRS>
CUDA_BOTH inline void affine_pad(affine_pairs_t *pairs, int n_rows, int n_columns)
{
    packed_pairs_t *packed = &pairs->packed;

    packed->n_rows = n_rows;
    packed->n_columns = n_columns;
    packed->max_pads = pairs->max_row_pads = 0;
    for (int i = 0; i < PAIRS; i++) {
        padded_pair_t *pair = &packed->pairs[i];

        pair->row_pads = n_rows - pair->m;
        pair->column_pads = n_columns - pair->n;
        packed->max_pads = max(packed->max_pads, pair->column_pads);
        pairs->max_row_pads = max(pairs->max_row_pads, pair->row_pads);
    }
}

/* Extend the band of the thread's pairs by those of each of them.  Guarded bands are made
 * of strips of FLANK_ROWS rows, which begin behind a multiple of them in front of a
 * pair's end, as all strips do.  Where a kernel's strips have other rows, it takes as
 * many more columns on both sides. */
template <int PAIRS, int ROWS>
CUDA_BOTH inline void affine_set_band(const rscan_launch_t &p, packed_pairs_t *packed)
{
    constexpr int MORE = ROWS == FLANK_ROWS ? 0 : FLANK_ROWS;

    packed->low = packed->high = -RSCAN_NO_BAND;
    for (int i = 0; i < PAIRS; i++) {
        const padded_pair_t &pair = packed->pairs[i];
        const int w = p.band_w == nullptr ? -1 : p.band_w[pair.index];
        const int shift = pair.row_pads - pair.column_pads;
        const int low =
            w < 0 ? RSCAN_NO_BAND : w + MORE + max(pair.m - pair.n, 0) + shift;
        const int high =
            w < 0 ? RSCAN_NO_BAND : w + MORE + max(pair.n - pair.m, 0) - shift;

        packed->low = max(packed->low, low);
        packed->high = max(packed->high, high);
    }
}

/* @return the first column of a band in rows from row0 on */
CUDA_BOTH inline int affine_first_column_of(int low, int row0)
{
    return max(row0 - low, 0) / QUAD * QUAD;
}

/* @return the end of the columns of a band in ROWS rows */
template <int ROWS>
CUDA_BOTH inline int affine_end_column_of(int high, int n_columns, int row0)
{
    return min((row0 + ROWS + high + QUAD - 1) / QUAD * QUAD, n_columns);
}

/* @return the first column that a thread's rows are swept from */
CUDA_BOTH inline int affine_first_column(const packed_pairs_t &packed, int row0)
{
    return affine_first_column_of(packed.low, row0);
}

/* @return the end of these columns */
template <int ROWS>
CUDA_BOTH inline int affine_end_column(const packed_pairs_t &packed, int row0)
{
    return affine_end_column_of<ROWS>(packed.high, packed.n_columns, row0);
}

/* @return the bases of four columns of a pair that are no edges, which are read ahead; of
 *         others, any */
CUDA_BOTH inline unsigned affine_letters(const packed_pairs_t &packed, int which,
                                         int column)
{
    const int at =
        min(max(column, packed.max_pads / QUAD * QUAD), packed.n_columns - QUAD);

    return four_letters(packed.pairs[which].column_end - packed.n_columns + at);
}

/* @return the maximum over a warp, in all lanes */
CUDA_BOTH inline int affine_warp_max(int value)
{
#ifdef __CUDA_ARCH__
    return cuda_warp_max(value);
#else
    return value;
#endif
}

/* What narrowing depends on: S, e_0 and e_1. */
struct affine_slopes_t {
    int s, e[2];
};

CUDA_BOTH inline affine_slopes_t affine_slopes(const affine_launch_t &p)
{
    const score_band_t &b = p.score_band;

    return affine_slopes_t{static_cast<int>(b.match + b.extend[0] + b.extend[1]),
                           {static_cast<int>(p.layout.c - b.extend[0]),
                            static_cast<int>(p.layout.c - b.extend[1])}};
}

/* @return whether a launch narrows bands: those that scores have proved */
CUDA_BOTH inline bool affine_narrows(const affine_launch_t &p)
{
    return !affine_finds_scores(p) && p.rounds.band_w != nullptr;
}

/* Let the pairs of a thread have the scores that they are known to have. */
template <int KIND, bool FREE>
CUDA_BOTH inline void affine_set_targets(const affine_launch_t &p,
                                         const packed_pairs_t &packed,
                                         affine_alive_t<KIND, FREE> &alive)
{
    using word = typename affine_kind_t<KIND>::word;
    bool any_known = false;

    alive = {};
    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const padded_pair_t &pair = packed.pairs[i];
        const bool known = p.rounds.band_w[pair.index] >= 0;

        alive.target[i] =
            known ? p.rounds.score[pair.index] +
                        static_cast<int>(p.layout.bias + p.layout.c * (pair.m + pair.n))
                  : AFFINE_NO_TARGET;
        any_known = any_known || known;
    }
    const word slope = static_cast<word>(static_cast<long long>(affine_slopes(p).e[1])
                                         << p.layout.h_shift);

    if (any_known)
        alive.slope = affine_join<KIND>(slope, slope);
}

/* @return the words of a lane's values up to x - 1, of which x is the first h; 0: none */
template <int KIND>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_before(
    const affine_launch_t &p, int x)
{
    using word = typename affine_kind_t<KIND>::word;

    return x <= 0
               ? word(0)
               : static_cast<word>((static_cast<long long>(x) << p.layout.h_shift) - 1);
}

/* Note V of a cell of the last row. @param behind  columns behind it */
template <int KIND, typename WORD, typename TRACE>
CUDA_BOTH inline void affine_reach(TRACE &alive, WORD h, int behind)
{
    if constexpr (TRACE::NARROWS)
        alive.quad =
            affine_max<KIND>(alive.quad, h + alive.slope * static_cast<WORD>(behind));
}

/* Note whether the last QUAD columns, from `column` on, have cells that are not dead. */
template <int KIND, typename TRACE>
CUDA_BOTH inline void affine_see(TRACE &alive, int column)
{
    if constexpr (TRACE::NARROWS) {
        if (alive.first < 0 && affine_max<KIND>(alive.quad, alive.below) != alive.below)
            alive.first = column;
        alive.reach = affine_max<KIND>(alive.reach, alive.quad);
        alive.quad = 0;
    }
}

/* Begin to note what the last of a thread's rows says.
 * @param from    the first column that is swept
 * @param border  H of the last row at the left border */
template <int KIND, int ROWS, bool FREE>
CUDA_BOTH inline void affine_start_alive(const affine_launch_t &p,
                                         const packed_pairs_t &packed,
                                         affine_alive_t<KIND, FREE> &alive, int row0,
                                         int from,
                                         typename affine_kind_t<KIND>::word border)
{
    using word = typename affine_kind_t<KIND>::word;
    const affine_slopes_t k = affine_slopes(p);
    const int rows = packed.n_rows - row0 - ROWS;
    const unsigned on_border = affine_mask<KIND>(from <= packed.pairs[0].column_pads,
                                                 from <= packed.pairs[1].column_pads);
    word below[2];

    for (int i = 0; i < 2; i++)
        below[i] = affine_before<KIND>(p, alive.target[i % kind_t<KIND>::PAIRS] -
                                              (k.s + k.e[0]) * rows);
    alive.below = affine_join<KIND>(below[0], below[1]);
    alive.first = -1;
    alive.quad = alive.reach = 0;
    affine_reach<KIND>(alive, affine_pick<KIND>(on_border, border, word(0)),
                       packed.n_columns - from);
    affine_see<KIND>(alive, from);
}

/* @return the end of the columns that a thread's next rows may need */
template <int KIND, int ROWS, bool FREE>
CUDA_BOTH inline int affine_alive_end(const affine_launch_t &p,
                                      const packed_pairs_t &packed,
                                      const affine_alive_t<KIND, FREE> &alive, int row0)
{
    const affine_slopes_t k = affine_slopes(p);
    int end = 0;

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++) {
        const int v = AFFINE_TWO<KIND>
                          ? static_cast<int>(
                                static_cast<unsigned>(alive.reach) >> (16 * i) & 0xffff)
                          : static_cast<int>(static_cast<long long>(alive.reach) >>
                                             p.layout.h_shift);
        const int over =
            alive.target[i] - k.e[0] * (packed.n_rows - row0) - k.s * ROWS - v;

        end = max(end, packed.n_columns - max(over + k.s - 1, 0) / max(k.s, 1));
    }
    return end;
}

/* Choose the columns of the rows from row0 on.
 * @param trace  narrows them where it is affine_alive_t
 * @param from, to  those of the rows above; out: the columns from .. to - 1 */
template <int KIND, int ROWS, typename TRACE>
CUDA_BOTH inline void affine_choose_columns(const affine_launch_t &p,
                                            const affine_pairs_t &pairs, int row0,
                                            const TRACE &trace, int *from, int *to)
{
    const packed_pairs_t &packed = pairs.packed;
    const int first = affine_first_column(packed, row0);
    const int end = affine_end_column<ROWS>(packed, row0);

    if constexpr (TRACE::NARROWS) {
        if (row0 > pairs.max_row_pads) { /* the row above is no border */
            const int alive =
                -affine_warp_max(trace.first < 0 ? -packed.n_columns : -trace.first);
            const int reached = affine_alive_end<KIND, ROWS>(p, packed, trace, row0);
            const int reached_quads = (affine_warp_max(reached) + QUAD - 1) / QUAD * QUAD;

            *from = max(first, alive);
            *to = max(min(end, max(*to, reached_quads)), *from);
            return;
        }
    }
    *from = first;
    *to = end;
}

} // namespace
