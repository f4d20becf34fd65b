/*
 * lscan_trace.cuh - follows the path of a pair back, for CIGARs.
 *
 * While a thread sweeps its rows, it keeps what the rows of a strip pass on to those
 * below, and in front of every LSCAN_SEGMENT-th column what it holds (lscan_kept_t).  So
 * when the best end is known, the cells of one strip and one segment of columns can be
 * computed once more, with the same values.  A path crosses few of these: segment by
 * segment, from its end on, they are computed with 4 bits per cell, the last step of the
 * path to it, and the path is followed through them.
 *
 * Everything here also runs on the CPU, where test_lscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/local/lscan_sweep.cuh"

namespace
{

/* How the path to a cell goes back (nw_reference.h): H by a diagonal step; if not, H by
 * F and not by E; and the F of the next row, and the E of the next column, by the gap's
 * first letter. */
constexpr unsigned LSCAN_DIAGONAL = 1, LSCAN_BY_F = 2, LSCAN_F_FIRST = 4,
                   LSCAN_E_FIRST = 8;

/* A path that is followed back: its cell in the padded matrix, the columns in front of
 * it, and the gap that it is in, or CUDA_DIAGONAL_MATCH: none. */
struct lscan_path_t {
    int i, j, left;
    cuda_direction_t gap;
    cuda_path_t out;
};

/* Compute the cells of one column of a strip. @param back  out: their bits */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_trace_step(const lscan_launch_t &p, bool target_first,
                                       lscan_thread_t<KIND, ROWS> &s,
                                       const lscan_line_t<lscan_word<KIND>> &up,
                                       const lscan_column_t<KIND, ROWS> &column,
                                       unsigned *back)
{
    using word = lscan_word<KIND>;
    const word above = LSCAN_IS_RELATIVE<KIND> ? word(s.base.above) : word(0);
    const word empty = LSCAN_IS_RELATIVE<KIND> ? word(s.base.empty) : word(0);
    const word gap_open = word(lscan_keys<KIND>(p).open),
               gap_extend = word(lscan_keys<KIND>(p).extend);
    const word rise = target_first ? word(1) : word(0); /* then E comes before F */
    word before = s.diagonal, f = up.f + above;

    s.diagonal = up.h + above;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const word diagonal = before + column.at[s.rows.at[r]], e = s.e[r];
        const word gap = f > e ? f : e;
        const word best = diagonal > gap ? diagonal : gap,
                   h = best > empty ? best : empty;
        const word open = h + gap_open, f_on = f + gap_extend, e_on = e + gap_extend;
        const unsigned bits =
            (diagonal >= gap ? LSCAN_DIAGONAL : 0u) | (f >= e + rise ? LSCAN_BY_F : 0u) |
            (open >= f_on ? LSCAN_F_FIRST : 0u) | (open >= e_on ? LSCAN_E_FIRST : 0u);

        before = s.h[r];
        s.h[r] = h;
        f = open > f_on ? open : f_on;
        s.e[r] = open > e_on ? open : e_on;
        back[r / LSCAN_BACK_ROWS] =
            (r % LSCAN_BACK_ROWS == 0 ? 0u : back[r / LSCAN_BACK_ROWS]) |
            bits << (r % LSCAN_BACK_ROWS * LSCAN_BACK_BITS);
    }
}

/* Go on with what a thread held. @param held  lscan_held */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_resume(const lscan_line_t<lscan_word<KIND>> *held, int stride,
                                   lscan_thread_t<KIND, ROWS> &s)
{
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        s.h[r] = held[r * stride].h;
        s.e[r] = held[r * stride].f;
    }
    s.diagonal = held[ROWS * stride].h;
    s.base.score = static_cast<int>(held[ROWS * stride].f);
}

/* Compute a segment of a strip again, and keep the bits of its cells. */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_trace_segment(
    const lscan_launch_t &p, const lscan_word<KIND> *steps, const lscan_pairs_t &pairs,
    int row0, int from, const lscan_kept_t<lscan_word<KIND>, ROWS> &kept)
{
    constexpr int WORDS = ROWS / LSCAN_BACK_ROWS;
    const int n = pairs.n_columns, to = min(from + LSCAN_SEGMENT, n);
    const long long stride = kept.stride, down = lscan_kept_len<ROWS>(n) * stride;
    const lscan_line_t<lscan_word<KIND>> *above = kept.lines + row0 / ROWS * down;
    unsigned *back = kept.back;
    lscan_thread_t<KIND, ROWS> s;

    s.key = 1;
    lscan_start_rows<ROWS>(p, pairs, row0, &s.rows);
    lscan_resume<KIND, ROWS>(lscan_held<ROWS>(above + down, kept.stride, n, from),
                             kept.stride, s);
    CUDA_NO_UNROLL
    for (int j = from; j < to; j += LSCAN_QUAD) {
        const unsigned letters = lscan_quad<KIND>(pairs, n - j).x;

        if constexpr (LSCAN_IS_RELATIVE<KIND>)
            if (j % LSCAN_BASE_COLUMNS == 0)
                lscan_start_block<ROWS>(
                    p, s, above[(lscan_bases_at(n) + j / LSCAN_BASE_COLUMNS) * stride].h);
        CUDA_UNROLL
        for (int i = 0; i < LSCAN_QUAD; i++) {
            unsigned bits[WORDS];

            lscan_trace_step<KIND, ROWS>(
                p, pairs.pairs[0].target_first, s, above[(j + i) * stride],
                lscan_column_t<KIND, ROWS>{steps + (letters >> (8 * i) & 0xff)}, bits);
            CUDA_UNROLL
            for (int w = 0; w < WORDS; w++, back += kept.stride)
                *back = bits[w];
        }
    }
}

/* Follow a path back through the strip of rows from row0, and the columns from `from`. */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_follow(const lscan_launch_t &p, const lscan_pairs_t &pairs,
                                   int row0, int from, unsigned ops,
                                   const lscan_kept_t<lscan_word<KIND>, ROWS> &kept,
                                   lscan_path_t *path, uint32_t *runs)
{
    constexpr int WORDS = ROWS / LSCAN_BACK_ROWS;
    const unsigned char *rows = pairs.pairs[0].row_end - pairs.n_rows;
    const unsigned char *columns = pairs.pairs[0].column_end - pairs.n_columns;

    for (; path->left > 0 && path->i >= row0 && path->j >= from; path->left--) {
        const int r = path->i - row0;
        const unsigned word =
            kept.back[((path->j - from) * WORDS + r / LSCAN_BACK_ROWS) * kept.stride];
        const unsigned bits = word >> (r % LSCAN_BACK_ROWS * LSCAN_BACK_BITS);
        const bool in_gap = (path->gap == CUDA_UP && (bits & LSCAN_F_FIRST) == 0) ||
                            (path->gap == CUDA_LEFT && (bits & LSCAN_E_FIRST) == 0);

        if (!in_gap) {
            const int at = rows[path->i] * ALPHABET_SIZE + columns[path->j];
            const bool matches =
                ((p.keys.steps[at] + 1) >> p.keys.key.match_shift & 1) != 0;

            path->gap = (bits & LSCAN_BY_F) != 0 ? CUDA_UP : CUDA_LEFT;
            if ((bits & LSCAN_DIAGONAL) != 0)
                path->gap = matches ? CUDA_DIAGONAL_MATCH : CUDA_DIAGONAL_MISMATCH;
        }
        cuda_path_put(&path->out, runs, ops, path->gap, 1);
        path->i -= path->gap != CUDA_LEFT;
        path->j -= path->gap != CUDA_UP;
    }
}

/* Put the letters outside of the alignment, of one sequence after those of the other. */
CUDA_BOTH inline void lscan_put_outside(bool target_first, unsigned ops, int n_rows,
                                        int n_columns, cuda_path_t *path, uint32_t *runs)
{
    cuda_path_put(path, runs, ops, target_first ? CUDA_UP : CUDA_LEFT,
                  target_first ? n_rows : n_columns);
    cuda_path_put(path, runs, ops, target_first ? CUDA_LEFT : CUDA_UP,
                  target_first ? n_columns : n_rows);
}

/*
 * Trace the pair of a thread that lscan_sweep has swept.
 *
 * @param steps      [LSCAN_TABLE] of keys
 * @param end        the best end
 * @param n_columns  of its alignment, at least 1
 * @param ops        cuda_path_ops
 * @param runs       [m + n] out: the last run first
 * @return the number of runs
 */
template <int KIND, int ROWS>
CUDA_BOTH inline int lscan_trace(const lscan_launch_t &p, const lscan_word<KIND> *steps,
                                 const lscan_pairs_t &pairs, const lscan_end_t &end,
                                 int n_columns,
                                 const lscan_kept_t<lscan_word<KIND>, ROWS> &kept,
                                 unsigned ops, uint32_t *runs)
{
    const lscan_pair_t &pair = pairs.pairs[0];
    lscan_path_t path = {end.i, end.j, n_columns, CUDA_DIAGONAL_MATCH, {}};

    lscan_put_outside(pair.target_first, ops, pairs.n_rows - 1 - end.i,
                      pairs.n_columns - 1 - end.j, &path.out, runs);
    while (path.left > 0) {
        const int row0 = path.i / ROWS * ROWS;
        const int from = path.j / LSCAN_SEGMENT * LSCAN_SEGMENT;

        lscan_trace_segment<KIND, ROWS>(p, steps, pairs, row0, from, kept);
        lscan_follow<KIND, ROWS>(p, pairs, row0, from, ops, kept, &path, runs);
    }
    lscan_put_outside(pair.target_first, ops, path.i + 1 - (pairs.n_rows - pair.m),
                      path.j + 1 - (pairs.n_columns - pair.n), &path.out, runs);
    if (path.out.run != 0)
        runs[path.out.n_runs++] = path.out.run;
    return path.out.n_runs;
}

} // namespace
