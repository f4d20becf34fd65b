/*
 * affine_sweep.cuh - aligns the pairs of a thread with affine gaps: borders, the rows
 * that the thread holds at a time, ends, and results.
 *
 * Pads are as in rscan_packed.cuh, but a border may fall at its first base, so cells of
 * pads are set instead of computed (affine_step_edge).  All threads of a warp pad their
 * pairs to the same size, so that they take the slow steps together.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_AFFINE_SWEEP_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_AFFINE_SWEEP_CUH

#include "kernels/align/rscan/affine_cell.cuh"

namespace
{

/* The pairs of a thread. */
struct affine_pairs_t {
    packed_pairs_t packed;
    int max_row_pads; /* in the warp */
};

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

/* @return a word with a value in each of its lanes */
template <int KIND, typename WORD>
CUDA_BOTH inline WORD affine_join(WORD first, WORD second)
{
    if constexpr (KIND == RSCAN_SCORE2)
        return first | second << 16;
    else
        return first;
}

/* @return H behind k bases along a border; k <= 0: in the corner */
template <typename WORD>
CUDA_BOTH inline WORD affine_border_at(const affine_border_t<WORD> &border, WORD corner,
                                       int k)
{
    return k <= 0 ? corner : border.base + border.slope * static_cast<WORD>(k);
}

/* @param row  of the padded matrix, in front of which the border cell is */
template <int KIND>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_left_border(
    const affine_launch_t &p, const packed_pairs_t &packed, int row)
{
    const auto &w = affine_words<KIND>(p);

    return affine_join<KIND>(affine_border_at(w.rows, w.corner,
                                              row - packed.pairs[0].row_pads),
                             affine_border_at(w.rows, w.corner,
                                              row - packed.pairs[1].row_pads));
}

/* @param column  of the padded matrix, in front of which the border cell is */
template <int KIND>
CUDA_BOTH inline typename affine_kind_t<KIND>::word affine_upper_border(
    const affine_launch_t &p, const packed_pairs_t &packed, int column)
{
    const auto &w = affine_words<KIND>(p);

    return affine_join<KIND>(affine_border_at(w.columns, w.corner,
                                              column - packed.pairs[0].column_pads),
                             affine_border_at(w.columns, w.corner,
                                              column - packed.pairs[1].column_pads));
}

/* Let the pairs end at a cell.
 * @param slope    of the terminal gap behind it
 * @param behind   bases of the side behind it, including pads
 * @param len      bases of the side, of the first pair; `second_len` of the other one */
template <int KIND, int ROWS, typename WORD>
CUDA_BOTH inline void affine_end(const affine_launch_t &p, affine_thread_t<KIND, ROWS> &s,
                                 WORD cell, WORD slope, int behind, int len,
                                 int second_len)
{
    const WORD no_gap = affine_words<KIND>(p).no_gap;
    const WORD first = slope * static_cast<WORD>(min(behind, len)),
               second = slope * static_cast<WORD>(min(behind, second_len));

    s.best =
        affine_max<KIND>(s.best, cell + (behind == 0 ? affine_join<KIND>(no_gap, no_gap)
                                                     : affine_join<KIND>(first, second)));
}

/* Compute a column at an edge of the matrix. @param line  the values above the column */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_edge_column(
    const affine_launch_t &p, const unsigned *table, const packed_pairs_t &packed,
    affine_thread_t<KIND, ROWS> &s, int column,
    affine_line_t<typename affine_kind_t<KIND>::word> *line)
{
    const padded_pair_t &a = packed.pairs[0], &b = packed.pairs[1];
    const columns_t columns = columns_of(packed);
    const int quad = column / QUAD * QUAD, behind = packed.n_columns - 1 - column;
    const bool last_rows = s.row0 + ROWS == packed.n_rows;
    affine_edge_t edge = {};
    affine_line_t<typename affine_kind_t<KIND>::word> up = *line;
    unsigned x = column_letters(columns, 0, quad), y = x;

    if (KIND == RSCAN_SCORE2)
        y = column_letters(columns, 1, quad);
    edge.row_pads[0] = a.row_pads - s.row0;
    edge.row_pads[1] = b.row_pads - s.row0;
    edge.column_pad = affine_mask<KIND>(column < a.column_pads, column < b.column_pads);
    edge.in_last_column = p.layout.rows.ends && behind == 0;
    edge.in_last_row = p.layout.columns.ends && last_rows;
    const auto end =
        affine_step_edge<KIND, ROWS>(p, s, up,
                                     column_of<KIND>(table, offsets_of<KIND>(x),
                                                     offsets_of<KIND>(y), column - quad),
                                     edge);
    *line = up;
    if (edge.in_last_row)
        affine_end<KIND, ROWS>(p, s, end, affine_words<KIND>(p).columns.slope, behind,
                               a.n, b.n);
}

/* Sweep the rows that a thread holds over all columns.
 * @tparam LAST    whether they include the last row, and terminal gaps run along it
 * @param line     the values above the rows; out: those of the last one
 * @param stride   from a column of the line to the next one */
template <int KIND, int ROWS, bool LAST>
CUDA_BOTH inline void affine_sweep_rows(
    const affine_launch_t &p, const unsigned *table, const affine_pairs_t &pairs,
    affine_thread_t<KIND, ROWS> &s,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride)
{
    using line_t = affine_line_t<typename affine_kind_t<KIND>::word>;
    const packed_pairs_t &packed = pairs.packed;
    const columns_t columns = columns_of(packed);
    const int n = packed.n_columns;
    const int first_end = p.layout.rows.ends ? n - QUAD : n;
    const int first = s.row0 < pairs.max_row_pads ? n : packed.max_pads;
    line_t ahead[QUAD];

    CUDA_UNROLL
    for (int i = 0; i < QUAD; i++)
        ahead[i] = line[i * stride];
    for (int j = 0; j < n; j += QUAD, line += QUAD * stride) {
        if (j < first || j >= first_end) {
            CUDA_NO_UNROLL
            for (int i = 0; i < QUAD; i++)
                affine_edge_column<KIND, ROWS>(p, table, packed, s, j + i,
                                               line + i * stride);
            CUDA_UNROLL
            for (int i = 0; i < QUAD; i++)
                ahead[i] = line[(QUAD + i) * stride];
            continue;
        }
        const unsigned x =
            offsets_of<KIND>(*reinterpret_cast<const unsigned *>(columns.at[0] + j));
        const unsigned y =
            KIND == RSCAN_SCORE2
                ? offsets_of<KIND>(*reinterpret_cast<const unsigned *>(columns.at[1] + j))
                : x;
        CUDA_UNROLL
        for (int i = 0; i < QUAD; i++) {
            line_t up = ahead[i];

            ahead[i] = line[(QUAD + i) * stride]; /* behind the last: slack */
            const auto end =
                affine_step<KIND, ROWS>(p, s, up, column_of<KIND>(table, x, y, i));

            line[i * stride] = up;
            if (LAST)
                affine_end<KIND, ROWS>(p, s, end, affine_words<KIND>(p).columns.slope,
                                       n - 1 - j - i, packed.pairs[0].n,
                                       packed.pairs[1].n);
        }
    }
}

/* Let the pairs end at the thread's cells of the last column, but not in the last row. */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_end_in_column(const affine_launch_t &p,
                                           const packed_pairs_t &packed,
                                           affine_thread_t<KIND, ROWS> &s)
{
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int behind = packed.n_rows - 1 - s.row0 - r;

        if (behind > 0)
            affine_end<KIND, ROWS>(p, s, s.h[r], affine_words<KIND>(p).rows.slope, behind,
                                   packed.pairs[0].m, packed.pairs[1].m);
    }
}

/* Align the pairs of a thread.
 * @param line    [n_columns], `stride` apart: scratch */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_sweep(
    const affine_launch_t &p, const unsigned *table, const affine_pairs_t &pairs,
    affine_thread_t<KIND, ROWS> &s,
    affine_line_t<typename affine_kind_t<KIND>::word> *line, int stride)
{
    using word = typename affine_kind_t<KIND>::word;
    const packed_pairs_t &packed = pairs.packed;
    const affine_layout_t &f = p.layout;
    const affine_words_t<word> &words = affine_words<KIND>(p);
    const padded_pair_t &a = packed.pairs[0], &b = packed.pairs[1];

    /* two terminal gaps, which is an alignment where all ends are free or priced */
    s.best = affine_join<KIND>(words.two_gaps +
                                   words.rows.slope * static_cast<word>(a.m + a.n),
                               words.two_gaps +
                                   words.rows.slope * static_cast<word>(b.m + b.n));
    if (!f.rows.ends)
        s.best = 0;
    for (int j = 0; j < packed.n_columns; j++)
        line[static_cast<long long>(j) * stride] =
            affine_line_t<word>{affine_upper_border<KIND>(p, packed, j + 1), 0};
    for (s.row0 = 0; s.row0 < packed.n_rows; s.row0 += ROWS) {
        s.rows = rows_of<KIND, ROWS>(packed, s.row0);
        s.diagonal = affine_left_border<KIND>(p, packed, s.row0);
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++) {
            s.h[r] = affine_left_border<KIND>(p, packed, s.row0 + r + 1);
            s.e[r] = affine_add(p, s.h[r], words.open);
        }
        if (f.columns.ends && s.row0 + ROWS == packed.n_rows)
            affine_sweep_rows<KIND, ROWS, true>(p, table, pairs, s, line, stride);
        else
            affine_sweep_rows<KIND, ROWS, false>(p, table, pairs, s, line, stride);
        if (f.rows.ends)
            affine_end_in_column<KIND, ROWS>(p, packed, s);
    }
    if (!f.columns.ends)
        s.best = s.h[ROWS - 1];
}

/* Store the results of the thread's pairs. @param n_pairs  of them, and of later threads
 */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_store(const affine_launch_t &p, const packed_pairs_t &packed,
                                   const affine_thread_t<KIND, ROWS> &s, int n_pairs)
{
    const rscan_launch_t &r = p.rounds;
    const affine_layout_t &f = p.layout;

    for (int i = 0; i < kind_t<KIND>::PAIRS && i < n_pairs; i++) {
        const padded_pair_t &pair = packed.pairs[i];
        const long long end = KIND == RSCAN_SCORE2
                                  ? static_cast<unsigned>(s.best) >> (16 * i) & 0xffff
                                  : static_cast<long long>(s.best);
        const long long q = end & ((1ll << f.m_shift) - 1);
        const long long matches = (end & ((1ll << f.h_shift) - 1)) >> f.m_shift;
        const long long columns = pair.m + pair.n - q;

        r.score[pair.index] = static_cast<int>((end >> f.h_shift) - f.bias + f.offset -
                                               f.c * (pair.m + pair.n));
        if (!r.identity)
            continue;
        const bool none = is_too_short(r, pair, columns);

        r.matches[pair.index] = none ? 0 : static_cast<int>(matches);
        r.columns[pair.index] = none ? 0 : static_cast<int>(columns);
    }
}

} // namespace

#endif
