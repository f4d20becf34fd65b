/*
 * affine_sweep.cuh - aligns the pairs of a thread with affine gaps: borders, the rows
 * that the thread holds at a time, and ends.
 *
 * Pads are as in rscan_packed.cuh, but a border may fall at its first base, so cells of
 * pads are set instead of computed (affine_step_edge).  All threads of a warp pad their
 * pairs to the same size, so that they take the slow steps together.
 */
#pragma once

#include "kernels/align/affine/affine_band.cuh"

namespace
{

template <int KIND>
CUDA_BOTH inline const affine_border_t<typename affine_kind_t<KIND>::word> &affine_side(
    const affine_launch_t &p, const affine_pairs_t &pairs, affine_of_t of)
{
    return affine_words<KIND>(p).sides[of ^ pairs.swapped];
}

/* @return H behind k bases along a border; k <= 0: in the corner */
template <typename WORD>
CUDA_BOTH inline WORD affine_border_at(const affine_border_t<WORD> &border, WORD corner,
                                       int k)
{
    return k <= 0 ? corner : border.base + border.slope * static_cast<WORD>(k);
}

/* @return border cells of all pairs
 * @param of     AFFINE_ROWS: of the left border, AFFINE_COLUMNS: of the upper one
 * @param place  rows or columns in front of it, including pads */
template <int KIND, affine_of_t OF>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_border(
    const affine_launch_t &p, const affine_pairs_t &pairs, int place)
{
    const auto corner = affine_words<KIND>(p).corner;
    const auto &border = affine_side<KIND>(p, pairs, OF);
    const padded_pair_t &a = pairs.packed.pairs[0], &b = pairs.packed.pairs[1];

    return affine_join<KIND>(
        affine_border_at(border, corner,
                         place - (OF == AFFINE_ROWS ? a.row_pads : a.column_pads)),
        affine_border_at(border, corner,
                         place - (OF == AFFINE_ROWS ? b.row_pads : b.column_pads)));
}

/* @return for ties: what a border cell has besides T0
 * @param place   rows or columns in front of it, including pads
 * @param origin  R */
template <int KIND, affine_of_t OF>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_border_tie(
    const affine_launch_t &p, const affine_pairs_t &pairs, int place, int origin)
{
    using word = typename affine_kind_t<KIND>::word;
    const padded_pair_t &pair = pairs.packed.pairs[0];
    const int pads = OF == AFFINE_ROWS ? pair.row_pads : pair.column_pads;

    if (!AFFINE_HAS_TIES<KIND>)
        return word(0);
    return static_cast<word>(affine_ends(p, pairs, OF)
                                 ? max(place - pads, 0) - origin
                                 : -min(p.layout.tie_first, origin));
}

/* @return an end of a kind with ties
 * @param i, j  bases in front of the cell, which a thread holds with rows from row0 on
 * @param behind  bases behind it that are no columns */
CUDA_BOTH inline unsigned long long affine_key_end(const affine_launch_t &p,
                                                   const affine_pairs_t &pairs, int row0,
                                                   unsigned cell, int i, int j,
                                                   int behind)
{
    const affine_layout_t &f = p.layout;
    const int column = max(j - 1 + pairs.packed.pairs[0].column_pads, 0);
    const int q = static_cast<int>(cell & ((1u << f.m_shift) - 1)) - f.tie_first +
                  affine_origin<RSCAN_KEY>(p, pairs, row0, column);
    const bool exact = q + f.tie_first > (f.tie_columns ? max(i, j) : i);

    return static_cast<unsigned long long>(cell >> f.m_shift) << 32 |
           static_cast<unsigned>(max(q, 0) + behind) << 1 | exact;
}

/* Let the pairs end at a cell.
 * @param of      AFFINE_ROWS: of the last column, AFFINE_COLUMNS: of the last row
 * @param behind  rows or columns behind the cell, including pads */
template <int KIND, int ROWS, affine_of_t OF, typename WORD, typename TRACE>
CUDA_BOTH inline void affine_end(const affine_launch_t &p, const affine_pairs_t &pairs,
                                 affine_thread_t<KIND, ROWS> &s, WORD cell, int behind,
                                 TRACE &trace)
{
    const padded_pair_t &a = pairs.packed.pairs[0], &b = pairs.packed.pairs[1];
    const WORD no_gap = affine_words<KIND>(p).no_gap;
    const WORD slope = affine_side<KIND>(p, pairs, OF).slope;
    const int len = OF == AFFINE_ROWS ? a.m : a.n,
              other_len = OF == AFFINE_ROWS ? b.m : b.n;
    const WORD first = slope * static_cast<WORD>(min(behind, len)),
               second = slope * static_cast<WORD>(min(behind, other_len));
    const WORD end = cell + (behind == 0 ? affine_join<KIND>(no_gap, no_gap)
                                         : affine_join<KIND>(first, second));

    affine_best_t<KIND> best;

    if constexpr (AFFINE_HAS_TIES<KIND>) {
        const int skipped = min(behind, len);
        const int i = OF == AFFINE_ROWS ? a.m - skipped : a.m;
        const int j = OF == AFFINE_ROWS ? a.n : a.n - skipped;

        best = affine_key_end(p, pairs, s.row0, end, i, j, skipped);
    } else {
        best = end;
    }
    if constexpr (TRACE::ON) {
        const int place = OF == AFFINE_ROWS ? len - behind : a.m + 1 + len - behind;

        if (best > s.best || (best == s.best && place > trace.place)) {
            s.best = best;
            trace.place = place;
        }
    } else {
        s.best = affine_max<KIND>(s.best, best);
    }
}

/* Keep the way back from a column's cells. */
template <typename TRACE> CUDA_BOTH inline void affine_keep(TRACE &trace, int stride)
{
    if constexpr (TRACE::ON) {
        *trace.out = trace.back;
        trace.out += stride;
    }
}

/* Compute a column at an edge of the matrix. @param line  the values above the column */
template <int KIND, int ROWS, typename TRACE>
CUDA_BOTH inline void affine_edge_column(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, affine_thread_t<KIND, ROWS> &s, int column,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, TRACE &trace)
{
    const packed_pairs_t &packed = pairs.packed;
    const padded_pair_t &a = packed.pairs[0], &b = packed.pairs[1];
    const columns_t columns = columns_of(packed);
    const int quad = column / QUAD * QUAD, behind = packed.n_columns - 1 - column;
    const bool last_rows = s.row0 + ROWS == packed.n_rows;
    affine_edge_t edge = {};
    affine_line_t<typename affine_kind_t<KIND>::word> up = *line;
    unsigned x = column_letters(columns, 0, quad), y = x;

    affine_rebase<KIND>(p, up, affine_drop<KIND, ROWS>(p, pairs, s.row0, column));
    if (AFFINE_TWO<KIND>)
        y = column_letters(columns, 1, quad);
    edge.row_pads[0] = a.row_pads - s.row0;
    edge.row_pads[1] = b.row_pads - s.row0;
    edge.column_pad = affine_mask<KIND>(column < a.column_pads, column < b.column_pads);
    edge.in_last_column = affine_ends(p, pairs, AFFINE_ROWS) && behind == 0;
    edge.in_last_row = affine_ends(p, pairs, AFFINE_COLUMNS) && last_rows;
    const auto end =
        affine_step_edge<KIND, ROWS>(p, s, up,
                                     affine_column_of<KIND>(table, x, y, column - quad),
                                     edge, trace);
    *line = up;
    affine_note_maxima<KIND, ROWS>(p, s, up.h);
    if (edge.in_last_row)
        affine_end<KIND, ROWS, AFFINE_COLUMNS>(p, pairs, s, end, behind, trace);
}

/* The same for four columns. */
template <int KIND, int ROWS, typename TRACE>
CUDA_BOTH inline void affine_edge_quad(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, affine_thread_t<KIND, ROWS> &s, int column,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride, TRACE &trace)
{
    CUDA_NO_UNROLL
    for (int i = 0; i < QUAD; i++) {
        affine_edge_column<KIND, ROWS>(p, table, pairs, s, column + i, line + i * stride,
                                       trace);
        affine_keep(trace, stride);
        affine_reach<KIND>(trace, line[i * stride].h,
                           pairs.packed.n_columns - 1 - column - i);
    }
    affine_see<KIND>(trace, column);
}

/* Ties: let the tie breaks to the left of a block's first column start from there. */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_start_block(const affine_launch_t &p,
                                         const affine_pairs_t &pairs,
                                         affine_thread_t<KIND, ROWS> &s, int column)
{
    const int drop = affine_origin<KIND>(p, pairs, s.row0, column) -
                     affine_origin<KIND>(p, pairs, s.row0, column - 1);

    if (drop > 0)
        affine_rebase_left<KIND, ROWS>(p, s, static_cast<unsigned>(drop));
}

/* Sweep the rows that a thread holds over columns from .. to - 1, multiples of QUAD.
 * @tparam LAST    whether they include the last row, and terminal gaps run along it
 * @param line     of column 0: the values above the rows; out: those of the last one
 * @param stride   from a column of the line to the next one */
template <int KIND, int ROWS, bool LAST, typename TRACE>
CUDA_BOTH inline void affine_sweep_rows(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, affine_thread_t<KIND, ROWS> &s, int from, int to,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride, TRACE &trace)
{
    using line_t = affine_line_t<typename affine_kind_t<KIND>::word>;
    const packed_pairs_t &packed = pairs.packed;
    const int n = packed.n_columns;
    const int first_end = affine_ends(p, pairs, AFFINE_ROWS) ? n - QUAD : n;
    const int first = s.row0 < pairs.max_row_pads ? n : packed.max_pads;
    unsigned drop = affine_drop<KIND, ROWS>(p, pairs, s.row0, from);
    int block = affine_next_block<KIND>(p, from);
    line_t ahead[QUAD], next[QUAD];

    line += static_cast<long long>(from) * stride;
    CUDA_UNROLL
    for (int i = 0; i < QUAD; i++)
        ahead[i] = line[i * stride];
    unsigned letters[2] = {affine_letters(packed, 0, from),
                           AFFINE_TWO<KIND> ? affine_letters(packed, 1, from) : 0};

    for (int j = from; j < to; j += QUAD, line += QUAD * stride) {
        const unsigned x = letters[0], y = AFFINE_TWO<KIND> ? letters[1] : x;

        letters[0] = affine_letters(packed, 0, j + QUAD);
        if (AFFINE_TWO<KIND>)
            letters[1] = affine_letters(packed, 1, j + QUAD);
        CUDA_UNROLL
        for (int i = 0; i < QUAD; i++) /* all at once, because all are waited for */
            next[i] = line[(QUAD + i) * stride]; /* behind the last: slack */
        if constexpr (AFFINE_HAS_TIES<KIND>)
            if (j == block) {
                affine_start_block<KIND, ROWS>(p, pairs, s, j);
                drop = affine_drop<KIND, ROWS>(p, pairs, s.row0, j);
                block += AFFINE_TIE_COLUMNS;
            }
        if (j < first || j >= first_end) {
            affine_edge_quad<KIND, ROWS>(p, table, pairs, s, j, line, stride, trace);
            CUDA_UNROLL
            for (int i = 0; i < QUAD; i++)
                ahead[i] = next[i];
            continue;
        }
        CUDA_UNROLL
        for (int i = 0; i < QUAD; i++) {
            line_t up = ahead[i];

            affine_rebase<KIND>(p, up, drop);
            const auto end =
                affine_step<KIND, ROWS>(p, s, up, affine_column_of<KIND>(table, x, y, i),
                                        trace, LAST);

            line[i * stride] = up;
            affine_note_maxima<KIND, ROWS>(p, s, up.h);
            affine_keep(trace, stride);
            affine_reach<KIND>(trace, up.h, n - 1 - j - i);
            if (LAST)
                affine_end<KIND, ROWS, AFFINE_COLUMNS>(p, pairs, s, end, n - 1 - j - i,
                                                       trace);
            ahead[i] = next[i];
        }
        affine_see<KIND>(trace, j);
    }
}

/* Let the pairs end at the thread's cells of the last column; not in the last row if
 * terminal gaps run along that. */
template <int KIND, int ROWS, typename TRACE>
CUDA_BOTH inline void affine_end_in_column(const affine_launch_t &p,
                                           const affine_pairs_t &pairs,
                                           affine_thread_t<KIND, ROWS> &s, TRACE &trace)
{
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int behind = pairs.packed.n_rows - 1 - s.row0 - r;

        if (behind > 0 || !affine_ends(p, pairs, AFFINE_COLUMNS))
            affine_end<KIND, ROWS, AFFINE_ROWS>(p, pairs, s, s.h[r], behind, trace);
    }
}

/* @return H beside the band, in all lanes */
template <int KIND>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_beside(
    const affine_launch_t &p)
{
    const auto beside = affine_words<KIND>(p).beside;

    return affine_join<KIND>(beside, beside);
}

/* Set the values above all rows: those of the border in the columns of a pair's first
 * rows, which pads pass on to them.
 * @param line  [n_columns + QUAD] out: what is read ahead, too */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_start_line(
    const affine_launch_t &p, const affine_pairs_t &pairs,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride)
{
    const packed_pairs_t &packed = pairs.packed;
    int top[2];

    for (int i = 0; i < 2; i++)
        top[i] = affine_end_column<ROWS>(packed, packed.pairs[i].row_pads / ROWS * ROWS);
    for (int j = 0; j < packed.n_columns + QUAD; j++)
        line[static_cast<long long>(j) * stride] = {
            affine_pick<KIND>(affine_mask<KIND>(j < top[0], j < top[1]),
                              affine_border<KIND, AFFINE_COLUMNS>(p, pairs, j + 1) +
                                  affine_border_tie<KIND, AFFINE_COLUMNS>(
                                      p, pairs, j + 1,
                                      affine_origin<KIND>(p, pairs, 0, j)),
                              affine_beside<KIND>(p)),
            0};
}

/* Set the values to the left of the thread's rows to those of the border. */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_start_left(const affine_launch_t &p,
                                        const affine_pairs_t &pairs,
                                        affine_thread_t<KIND, ROWS> &s)
{
    const int origin = affine_origin<KIND>(p, pairs, s.row0, 0);

    s.diagonal = affine_border<KIND, AFFINE_ROWS>(p, pairs, s.row0) +
                 affine_border_tie<KIND, AFFINE_ROWS>(p, pairs, s.row0, origin);
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int place = s.row0 + r + 1;

        s.h[r] = affine_border<KIND, AFFINE_ROWS>(p, pairs, place) +
                 affine_border_tie<KIND, AFFINE_ROWS>(p, pairs, place, origin);
        s.e[r] = affine_add(p, s.h[r], affine_words<KIND>(p).open);
    }
}

/* @return the rows of a thread in a table of steps, from row0 on */
template <int KIND, int ROWS>
CUDA_BOTH inline rows_t<KIND, ROWS> affine_table_rows(const affine_launch_t &p,
                                                      const packed_pairs_t &packed,
                                                      const affine_entry_t<KIND> *table,
                                                      int row0)
{
    const unsigned bytes = p.layout.table_stride * sizeof(affine_entry_t<KIND>);
    rows_t<KIND, ROWS> rows;

    rows.table = reinterpret_cast<const char *>(table);
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r += 4) {
        const unsigned letters = row_letters(packed, 0, row0 + r);

        CUDA_UNROLL
        for (int i = 0; i < 4; i++)
            rows.at[r + i] = (letters >> (8 * i) & 0xff) * bytes;
    }
    /* keeps the compiler from computing them again in every column */
    CUDA_UNROLL
    for (unsigned &at : rows.at)
        asm volatile("" : "+r"(at));
    return rows;
}

/* Load the bases of rows row0 .. row0 + ROWS - 1, and the values to their left. */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_start_rows(const affine_launch_t &p,
                                        const affine_entry_t<KIND> *table,
                                        const affine_pairs_t &pairs,
                                        affine_thread_t<KIND, ROWS> &s)
{
    if constexpr (AFFINE_HAS_TABLE<KIND>)
        s.rows = affine_table_rows<KIND, ROWS>(p, pairs.packed, table, s.row0);
    else if constexpr (KIND == AFFINE_COMMON2)
        affine_fill_common<ROWS>(pairs.packed, s.row0, table, s.rows);
    else if constexpr (KIND == AFFINE_GUARD_CODES)
        s.rows = affine_code_rows<ROWS>(p, pairs.packed, s.row0);
    else
        s.rows = rows_of<KIND, ROWS>(pairs.packed, s.row0);
    if constexpr (KIND == RSCAN_KEY) { /* zeros from the sign of h's step, not of M's */
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++)
            s.rows.at[r] ^= 0x4040;
    }
    if constexpr (KIND == RSCAN_KEY_TIES) { /* M's step in byte 1, zeros likewise */
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++)
            s.rows.at[r] = 0x8008u | (s.rows.at[r] & 0xf) << 4 | (s.rows.at[r] & 0xf00);
    }
    affine_start_left(p, pairs, s);
}

/* The same in a band: set the values to the left of column `from`.
 * @param above  the first column that the rows above were swept from, where bands are
 *               narrowed; else 0 */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_start_band(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, affine_thread_t<KIND, ROWS> &s, int above, int from,
    const affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride)
{
    using word = typename affine_kind_t<KIND>::word;
    const padded_pair_t &a = pairs.packed.pairs[0], &b = pairs.packed.pairs[1];
    const unsigned border =
        affine_mask<KIND>(from <= a.column_pads, from <= b.column_pads);

    affine_start_rows<KIND, ROWS>(p, table, pairs, s);
    if (from == 0)
        return;
    affine_line_t<word> before = line[static_cast<long long>(from - 1) * stride];

    affine_rebase<KIND>(p, before,
                        static_cast<unsigned>(
                            affine_origin<KIND>(p, pairs, s.row0, from) -
                            affine_origin<KIND>(p, pairs, s.row0 - ROWS, from - 1)));
    s.diagonal = affine_pick<KIND>(border, s.diagonal,
                                   from > above ? before.h : affine_beside<KIND>(p));
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        s.h[r] = affine_pick<KIND>(border, s.h[r], affine_beside<KIND>(p));
        s.e[r] = affine_pick<KIND>(border, s.e[r], word(0));
    }
}

/* @return what a pair has if both of its sequences are one terminal gap, in one lane; an
 *         alignment where all ends are free or priced, else 0 */
template <int KIND>
CUDA_BOTH inline affine_best_t<KIND> affine_two_gaps(const affine_launch_t &p,
                                                     const padded_pair_t &pair)
{
    using word = typename affine_kind_t<KIND>::word;
    const affine_words_t<word> &words = affine_words<KIND>(p);

    if (!p.layout.sides[0].ends || !p.layout.sides[1].ends)
        return 0;
    const word end =
        words.two_gaps + words.sides[0].slope * static_cast<word>(pair.m + pair.n);

    if constexpr (AFFINE_HAS_TIES<KIND>)
        return static_cast<unsigned long long>(end >> p.layout.m_shift) << 32 |
               static_cast<unsigned>(pair.m + pair.n) << 1 | 1;
    else
        return end;
}

/* Align the pairs of a thread.
 * @tparam NARROWS  affine_narrows
 * @tparam FREE     affine_extends_free; false: whether or not
 * @param line    [n_columns + QUAD], `stride` apart: scratch */
template <int KIND, int ROWS, bool NARROWS, bool FREE = false>
CUDA_BOTH inline void affine_sweep(
    const affine_launch_t &p, const affine_entry_t<KIND> *table,
    const affine_pairs_t &pairs, affine_thread_t<KIND, ROWS> &s,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride)
{
    const packed_pairs_t &packed = pairs.packed;
    const bool row_ends = affine_ends(p, pairs, AFFINE_ROWS),
               column_ends = affine_ends(p, pairs, AFFINE_COLUMNS);
    typename std::conditional<NARROWS, affine_alive_t<KIND, FREE>,
                              affine_untraced_t<FREE>>::type trace;
    int from = 0, to = 0;

    s.maxima = {};
    s.best = affine_join<KIND>(affine_two_gaps<KIND>(p, packed.pairs[0]),
                               affine_two_gaps<KIND>(p, packed.pairs[1]));
    affine_start_line<KIND, ROWS>(p, pairs, line, stride);
    if constexpr (NARROWS)
        affine_set_targets<KIND>(p, packed, trace);
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += ROWS) {
        const int above = NARROWS ? from : 0;

        affine_choose_columns<KIND, ROWS>(p, pairs, s.row0, trace, &from, &to);
        affine_start_band<KIND, ROWS>(p, table, pairs, s, above, from, line, stride);
        if constexpr (NARROWS)
            affine_start_alive<KIND, ROWS>(
                p, packed, trace, s.row0, from,
                affine_border<KIND, AFFINE_ROWS>(p, pairs, s.row0 + ROWS));
        if (column_ends && s.row0 + ROWS == packed.n_rows)
            affine_sweep_rows<KIND, ROWS, true>(p, table, pairs, s, from, to, line,
                                                stride, trace);
        else
            affine_sweep_rows<KIND, ROWS, false>(p, table, pairs, s, from, to, line,
                                                 stride, trace);
        if (row_ends && to == packed.n_columns)
            affine_end_in_column<KIND, ROWS>(p, pairs, s, trace);
    }
    if (column_ends)
        return;
    if constexpr (AFFINE_HAS_TIES<KIND>)
        s.best = affine_key_end(p, pairs, s.row0 - ROWS, s.h[ROWS - 1], packed.pairs[0].m,
                                packed.pairs[0].n, 0);
    else
        s.best = s.h[ROWS - 1];
}

} // namespace
