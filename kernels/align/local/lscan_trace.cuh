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
 * For long sequences this would take too much memory.  There the sweep keeps only what
 * enters squares of many rows and columns, and a square that the path crosses is first
 * swept again, to keep all of its lines.
 *
 * Everything here also runs on the CPU, where test_lscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/local/lscan_sweep.cuh"

namespace
{

/* How the path to a cell goes back (nw_reference.h): H by a diagonal step; if not, H by
 * the gap that comes first, F unless the rows are the target; and the F of the next row,
 * and the E of the next column, by the gap's first letter. */
constexpr unsigned LSCAN_DIAGONAL = 1, LSCAN_BY_FIRST = 2, LSCAN_F_FIRST = 4,
                   LSCAN_E_FIRST = 8;

/* A path that is followed back: its cell in the padded matrix, the columns in front of
 * it (LSCAN_IS_TRACED: 0 or more than 0), and the gap that it is in, or
 * CUDA_DIAGONAL_MATCH: none. */
struct lscan_path_t {
    int i, j, left;
    cuda_direction_t gap;
    int n_columns, n_matches; /* LSCAN_IS_TRACED: so far */
    long long key;            /* likewise: of what is left, 0 in front of the path */
    cuda_path_t out;
};

CUDA_BOTH inline void lscan_note(unsigned *bits, bool is_set, unsigned bit)
{
    if (is_set)
        *bits |= bit;
}

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
    word before = s.diagonal, f = up.f + above;

    s.diagonal = up.h + above;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const word diagonal = before + column.at[s.rows.at[r]];
        const word first = target_first ? s.e[r] : f;
        const word h = lscan_max3(lscan_max(diagonal, empty), s.e[r], f);
        const word open = h + gap_open;
        unsigned *bits = &back[r / LSCAN_BACK_ROWS];
        const int shift = r % LSCAN_BACK_ROWS * LSCAN_BACK_BITS;

        before = s.h[r];
        s.h[r] = h;
        f = lscan_add_max(f, gap_extend, open);
        s.e[r] = lscan_add_max(s.e[r], gap_extend, open);
        *bits = shift == 0 ? 0 : *bits;
        lscan_note(bits, h == diagonal, LSCAN_DIAGONAL << shift);
        lscan_note(bits, h == first, LSCAN_BY_FIRST << shift);
        lscan_note(bits, f == open, LSCAN_F_FIRST << shift);
        lscan_note(bits, s.e[r] == open, LSCAN_E_FIRST << shift);
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
    s.base = lscan_base_t{static_cast<int>(held[ROWS * stride].f), 0, 0};
}

/* Compute a segment of a strip again, up to column `last`, and keep the bits of its
 * cells. */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_trace_segment(
    const lscan_launch_t &p, const lscan_word<KIND> *steps, const lscan_pairs_t &pairs,
    int row0, int from, int last, const lscan_kept_t<lscan_word<KIND>, ROWS> &kept)
{
    constexpr int WORDS = ROWS / LSCAN_BACK_ROWS;
    const int n = kept.n_columns, at = from - kept.column0;
    const int behind = pairs.n_columns - kept.column0;
    const long long stride = kept.stride, down = lscan_kept_len<ROWS>(n) * stride;
    const lscan_line_t<lscan_word<KIND>> *above =
        kept.lines + (row0 - kept.row0) / ROWS * down;
    unsigned *back = kept.back;
    lscan_thread_t<KIND, ROWS> s;

    s.key = 1;
    lscan_start_rows<ROWS>(p, pairs, row0, &s.rows);
    lscan_resume<KIND, ROWS>(lscan_held<ROWS>(above + down, kept.stride, n, at),
                             kept.stride, s);
    CUDA_NO_UNROLL
    for (int j = at; j <= last - kept.column0; j += LSCAN_QUAD) {
        const unsigned letters = lscan_quad<KIND>(pairs, behind - j).x;

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

/* Put columns in front of a path's others (cuda_path_put), if there are runs. */
template <int KIND>
CUDA_BOTH inline void lscan_put(cuda_path_t *path, uint32_t *runs, unsigned ops,
                                cuda_direction_t direction, int len)
{
    if (!LSCAN_IS_TRACED<KIND> || runs != nullptr)
        cuda_path_put(path, runs, ops, direction, len);
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

    while (path->left > 0 && path->i >= row0 && path->j >= from) {
        const int r = path->i - row0;
        const unsigned word =
            kept.back[((path->j - from) * WORDS + r / LSCAN_BACK_ROWS) * kept.stride];
        const unsigned bits = word >> (r % LSCAN_BACK_ROWS * LSCAN_BACK_BITS);
        const bool in_gap = (path->gap == CUDA_UP && (bits & LSCAN_F_FIRST) == 0) ||
                            (path->gap == CUDA_LEFT && (bits & LSCAN_E_FIRST) == 0);
        const int at = rows[path->i] * ALPHABET_SIZE + columns[path->j];

        if (LSCAN_IS_TRACED<KIND> && path->gap < CUDA_DIAGONAL_MISMATCH)
            path->key -= in_gap ? p.keys_traced.extend : p.keys_traced.open;
        if (!in_gap) {
            const bool matches = ((p.keys.steps[at] + 1) >> p.key.match_shift & 1) != 0;

            path->gap = ((bits & LSCAN_BY_FIRST) != 0) != pairs.pairs[0].target_first
                            ? CUDA_UP
                            : CUDA_LEFT;
            if ((bits & LSCAN_DIAGONAL) != 0)
                path->gap = matches ? CUDA_DIAGONAL_MATCH : CUDA_DIAGONAL_MISMATCH;
        }
        lscan_put<KIND>(&path->out, runs, ops, path->gap, 1);
        path->i -= path->gap != CUDA_LEFT;
        path->j -= path->gap != CUDA_UP;
        path->left--;
        if constexpr (LSCAN_IS_TRACED<KIND>) {
            path->n_columns++;
            path->n_matches += path->gap == CUDA_DIAGONAL_MATCH;
            if (path->gap >= CUDA_DIAGONAL_MISMATCH)
                path->key -= p.keys_traced.steps[at];
            path->left = path->key != 0;
        }
    }
}

/* Lanes take turns by their places, numbers that decrease along a path, so that those
 * that are behind catch up: what all lanes do at the same place takes as long as one.
 * @param place  of the lane, < 0: none
 * @return whose turn it is; < 0: all lanes have finished */
CUDA_BOTH inline int lscan_turn(int place)
{
#ifdef __CUDA_ARCH__
    return cuda_warp_max(place);
#else
    return place;
#endif
}

/* Follow the paths of a warp back through what is kept. @param here  whether this one */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_follow_kept(const lscan_launch_t &p,
                                        const lscan_word<KIND> *steps,
                                        const lscan_pairs_t &pairs, unsigned ops,
                                        const lscan_kept_t<lscan_word<KIND>, ROWS> &kept,
                                        bool here, lscan_path_t *path, uint32_t *runs)
{
    for (;;) {
        const bool inside =
            here && path->left > 0 && path->i >= kept.row0 && path->j >= kept.column0;
        const int strip = path->i / ROWS, segment = path->j / LSCAN_SEGMENT;
        const int place = inside ? strip + segment : -1;
        const int turn = lscan_turn(place);

        if (turn < 0)
            return;
        if (place != turn)
            continue;
        lscan_trace_segment<KIND, ROWS>(p, steps, pairs, strip * ROWS,
                                        segment * LSCAN_SEGMENT, path->j, kept);
        lscan_follow<KIND, ROWS>(p, pairs, strip * ROWS, segment * LSCAN_SEGMENT, ops,
                                 kept, path, runs);
    }
}

/* @return the steps of the table of a sweep, for lanes that are at different rows */
template <int KIND>
CUDA_BOTH inline const lscan_word<KIND> *lscan_trace_steps(
    const lscan_launch_t &p, const lscan_table_t<KIND> &table)
{
    if constexpr (KIND == LSCAN_COMMON_KEYS32)
        return p.keys32.steps;
    else
        return table.at;
}

/* Steps of keys, in the place of a lscan_table_t. */
template <typename WORD> struct lscan_steps_at_t {
    const WORD *at;
};

/* Sweep a square again, up to the cell that a path enters it by.
 * @param kept  of the square */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_sweep_square(const lscan_launch_t &p,
                                         const lscan_word<KIND> *steps,
                                         const lscan_pairs_t &pairs,
                                         const lscan_path_t &path,
                                         const lscan_kept_t<lscan_word<KIND>, ROWS> &kept)
{
    const lscan_steps_at_t<lscan_word<KIND>> table = {steps};
    const long long stride = kept.stride,
                    far = lscan_square_len<ROWS>(pairs.n_columns, p.square) * stride,
                    down = lscan_kept_len<ROWS>(kept.n_columns) * stride;
    const int n_columns = ((path.j - kept.column0) / LSCAN_QUAD + 1) * LSCAN_QUAD;
    const lscan_line_t<lscan_word<KIND>> *above =
        kept.squares + kept.row0 / p.square * far;
    lscan_line_t<lscan_word<KIND>> *line = kept.lines;
    lscan_thread_t<KIND, ROWS> s;

    s.best = s.key = 1;
    for (int j = 0; j < n_columns; j++)
        line[j * stride] = above[(kept.column0 + j) * stride];
    for (int b = 0; b * LSCAN_BASE_COLUMNS < n_columns; b++)
        line[(lscan_bases_at(kept.n_columns) + b) * stride] =
            above[(lscan_bases_at(pairs.n_columns) + kept.column0 / LSCAN_BASE_COLUMNS +
                   b) *
                  stride];
    for (int row = kept.row0; row <= path.i; row += ROWS, line += down) {
        lscan_start_rows<ROWS>(p, pairs, row, &s.rows);
        lscan_resume<KIND, ROWS>(lscan_held<ROWS>(above + far, kept.stride,
                                                  pairs.n_columns, kept.column0, p.square,
                                                  (row - kept.row0) / ROWS),
                                 kept.stride, s);
        lscan_sweep_rows<KIND, ROWS, LSCAN_AGAIN>(p, table, pairs, row,
                                                  {kept.column0, n_columns,
                                                   kept.n_columns},
                                                  s, line, kept.stride, down);
    }
}

/* Follow the paths of a warp back through squares. @param kept  is set to each of them */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_follow_squares(const lscan_launch_t &p,
                                           const lscan_word<KIND> *steps,
                                           const lscan_pairs_t &pairs, unsigned ops,
                                           lscan_kept_t<lscan_word<KIND>, ROWS> kept,
                                           lscan_path_t *path, uint32_t *runs)
{
    kept.n_columns = p.square;
    for (;;) {
        const int place = path->left > 0 ? path->i / p.square + path->j / p.square : -1;
        const int turn = lscan_turn(place);

        if (turn < 0)
            return;
        kept.row0 = path->i & -p.square;
        kept.column0 = path->j & -p.square;
        if (place == turn)
            lscan_sweep_square<KIND, ROWS>(p, steps, pairs, *path, kept);
        lscan_follow_kept<KIND, ROWS>(p, steps, pairs, ops, kept, place == turn, path,
                                      runs);
    }
}

/* Put the letters outside of the alignment, of one sequence after those of the other. */
template <int KIND>
CUDA_BOTH inline void lscan_put_outside(bool target_first, unsigned ops, int n_rows,
                                        int n_columns, cuda_path_t *path, uint32_t *runs)
{
    lscan_put<KIND>(path, runs, ops, target_first ? CUDA_UP : CUDA_LEFT,
                    target_first ? n_rows : n_columns);
    lscan_put<KIND>(path, runs, ops, target_first ? CUDA_LEFT : CUDA_UP,
                    target_first ? n_columns : n_rows);
}

/*
 * Trace the pair of a thread that lscan_sweep has swept; called by all lanes of a warp.
 *
 * @param steps      [LSCAN_TABLE] of keys
 * @param end        the best end
 * @param n_columns  of its alignment; LSCAN_IS_TRACED: 1, any number; 0: none
 * @param key        LSCAN_IS_TRACED: the best one
 * @param ops        cuda_path_ops
 * @param runs       [m + n] out: the last run first; LSCAN_IS_TRACED: may be NULL
 * @return the path; out.n_runs is the number of runs
 */
template <int KIND, int ROWS>
CUDA_BOTH inline lscan_path_t lscan_trace(
    const lscan_launch_t &p, const lscan_word<KIND> *steps, const lscan_pairs_t &pairs,
    const lscan_end_t &end, int n_columns, long long key,
    const lscan_kept_t<lscan_word<KIND>, ROWS> &kept, unsigned ops, uint32_t *runs)
{
    const lscan_pair_t &pair = pairs.pairs[0];
    lscan_path_t path = {end.i, end.j, n_columns, CUDA_DIAGONAL_MATCH, 0, 0, key, {}};

    if (n_columns > 0)
        lscan_put_outside<KIND>(pair.target_first, ops, pairs.n_rows - 1 - end.i,
                                pairs.n_columns - 1 - end.j, &path.out, runs);
    if constexpr (LSCAN_HAS_SQUARES<KIND>)
        lscan_follow_squares<KIND, ROWS>(p, steps, pairs, ops, kept, &path, runs);
    else
        lscan_follow_kept<KIND, ROWS>(p, steps, pairs, ops, kept, true, &path, runs);
    if (n_columns == 0)
        return path;
    lscan_put_outside<KIND>(pair.target_first, ops, path.i + 1 - (pairs.n_rows - pair.m),
                            path.j + 1 - (pairs.n_columns - pair.n), &path.out, runs);
    if (path.out.run != 0)
        runs[path.out.n_runs++] = path.out.run;
    return path;
}

/* @return whether no path is better than one with the greatest key in TRACED32
 *         (lscan_layout.cuh). @param n  letters of both sequences */
CUDA_BOTH inline bool lscan_proves(const lscan_traced_t &t, int64_t n, int64_t score,
                                   int64_t matches, int64_t columns)
{
    const int64_t cost = t.max_column * matches - score;
    int64_t fewer = matches, others = n - 2 * (matches + 1);

    if (t.max_column > 0)
        fewer = min(fewer, max(cost - 1, int64_t(0)) / t.max_column);
    if (t.min_cost > 0 && t.max_column > 0 &&
        t.match_weight > t.max_column / t.min_cost + 1)
        others = min(others, (cost + t.max_column) / t.min_cost);
    return matches + 1 + others < columns + t.match_weight &&
           t.match_weight * fewer + n - columns < t.score_weight;
}

/* Store the numbers of a pair of TRACED32 whose path has been traced.
 * @param key  of the path. @return whether they are proved */
CUDA_BOTH inline bool lscan_store_traced(const lscan_launch_t &p,
                                         const lscan_pair_t &pair,
                                         const lscan_path_t &path, long long key)
{
    const lscan_traced_t &t = p.traced;
    const int64_t columns = path.n_columns, matches = path.n_matches;
    const int64_t score = (key + columns - t.match_weight * matches) / t.score_weight;
    const bool none = columns == 0 || score <= 0;

    if (columns > 0 && !lscan_proves(t, pair.m + pair.n, score, matches, columns))
        return false;
    p.score[pair.index] = none ? 0 : static_cast<int>(score);
    p.matches[pair.index] = none ? 0 : path.n_matches;
    p.columns[pair.index] = none ? 0 : path.n_columns;
    return true;
}

} // namespace
