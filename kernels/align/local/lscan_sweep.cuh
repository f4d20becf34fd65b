/*
 * lscan_sweep.cuh - aligns the pairs of a thread: the rows that it holds at a time, and
 * results.
 *
 * Pads are rows and columns in front of the first letter.  All threads of a warp pad
 * their pairs to the same size.
 */
#pragma once

#include "kernels/align/local/lscan_common.cuh"

namespace
{

/* @return the selectors of a row's byte among those of a table's word, for one half; of a
 *         pad two signs, which are a score of 0 or -1 */
CUDA_BOTH inline unsigned lscan_selectors(unsigned letter)
{
    const unsigned base = letter >> 1 & 1 | (letter >> 2 & 1) * 2 | (letter >> 3 & 1) * 3;

    return letter == 0 ? 0x88 : base | (base | 8) << 4;
}

template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &, const lscan_pairs_t &pairs,
                                       int row0, lscan_rows_t<LSCAN_BASES, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];

    CUDA_UNROLL
    for (int q = 0; q < ROWS; q += LSCAN_QUAD) {
        const int behind = pairs.n_rows - row0 - q;
        const unsigned x = lscan_letters(a.row_end, a.m, behind),
                       y = lscan_letters(b.row_end, b.m, behind);

        CUDA_UNROLL
        for (int r = 0; r < LSCAN_QUAD; r++)
            rows->at[q + r] = lscan_selectors(x >> (8 * r) & 0xff) |
                              (lscan_selectors(y >> (8 * r) & 0xff) | 0x44) << 8;
    }
}

/* Offsets in a table of keys. */
template <int ROWS, int KIND,
          std::enable_if_t<LSCAN_IS_KEY<KIND> && !lscan_is_common(KIND), int> = 0>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &, const lscan_pairs_t &pairs,
                                       int row0, lscan_rows_t<KIND, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0];

    CUDA_UNROLL
    for (int q = 0; q < ROWS; q += LSCAN_QUAD) {
        const unsigned x = lscan_letters(a.row_end, a.m, pairs.n_rows - row0 - q);

        CUDA_UNROLL
        for (int r = 0; r < LSCAN_QUAD; r++)
            rows->at[q + r] = (x >> (8 * r) & 0xff) * LSCAN_STRIDE<KIND>;
    }
}

/* Write the scores of four rows by the letters of a column.
 * @param rows  the bytes of the four rows
 * @param out   of the first letter; `stride` from one letter to the next */
CUDA_BOTH inline void lscan_write_profile(const lscan_launch_t &p, unsigned rows,
                                          unsigned *out, int stride)
{
    const unsigned *of_row[LSCAN_QUAD];

    CUDA_UNROLL
    for (int r = 0; r < LSCAN_QUAD; r++)
        of_row[r] = reinterpret_cast<const unsigned *>(
            p.scores + (rows >> (8 * r) & 0xff) * ALPHABET_SIZE);
    CUDA_NO_UNROLL
    for (int k = 0; k < p.n_letters / LSCAN_QUAD; k++, out += LSCAN_QUAD * stride) {
        const unsigned a = of_row[0][k], b = of_row[1][k], c = of_row[2][k],
                       d = of_row[3][k];
        const unsigned ab = cuda_permute(a, b, 0x5140), cd = cuda_permute(c, d, 0x5140);
        const unsigned ab2 = cuda_permute(a, b, 0x7362), cd2 = cuda_permute(c, d, 0x7362);

        out[0] = cuda_permute(ab, cd, 0x5410);
        out[stride] = cuda_permute(ab, cd, 0x7632);
        out[2 * stride] = cuda_permute(ab2, cd2, 0x5410);
        out[3 * stride] = cuda_permute(ab2, cd2, 0x7632);
    }
}

template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<LSCAN_PROFILE, ROWS> *rows)
{
    constexpr int QUADS = ROWS / LSCAN_QUAD;
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];

    CUDA_NO_UNROLL
    for (int q = 0; q < QUADS; q++) {
        const int behind = pairs.n_rows - row0 - q * LSCAN_QUAD;
        unsigned *out = rows->profile + 2 * q * rows->stride;

        lscan_write_profile(p, lscan_letters(a.row_end, a.m, behind), out,
                            2 * QUADS * rows->stride);
        lscan_write_profile(p, lscan_letters(b.row_end, b.m, behind), out + rows->stride,
                            2 * QUADS * rows->stride);
    }
}

/* Note the last one of the column's best cells, if no cell before it is better.
 * @param top           the greatest H of the column, at least the best so far
 * @param target_first  whether the last one is that of the last column, not row */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_note_end(const lscan_launch_t &p, bool target_first,
                                     lscan_thread_t<KIND, ROWS> &s, lscan_word<KIND> top,
                                     int row0, int column)
{
    int i = row0;

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++)
        i = s.h[r] == top ? row0 + r : i;
    const int down = i - s.end.i, right = column - s.end.j;
    const bool is_later = target_first ? right > 0 || (right == 0 && down > 0)
                                       : down > 0 || (down == 0 && right > 0);

    if (top > s.best || is_later) {
        s.best = top;
        s.end = lscan_end_t{i, column};
        if constexpr (LSCAN_IS_RELATIVE<KIND>)
            s.key = top +
                    (static_cast<long long>(s.base.score) << lscan_bases<KIND>(p).shift);
    }
}

/* Four columns of both pairs: their letters, or their entries in a table. */
struct lscan_quad_t {
    unsigned x, y;
};

/* @param behind  columns from the first of them to the end; 0: none */
template <int KIND>
CUDA_BOTH inline lscan_quad_t lscan_quad(const lscan_pairs_t &pairs, int behind)
{
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];
    constexpr bool HAS_TWO = !LSCAN_IS_KEY<KIND> && KIND != LSCAN_TWIN_PROFILE;

    if (behind == 0)
        return lscan_quad_t{0, 0};
    return lscan_quad_t{lscan_letters(a.column_end, a.n, behind),
                        HAS_TWO ? lscan_letters(b.column_end, b.n, behind) : 0};
}

/* Which lines a sweep keeps: one, in place; those of all strips; those of squares, in
 * place between them; or those of all strips again, of a square. */
enum lscan_keeps_t { LSCAN_ONE, LSCAN_STRIPS, LSCAN_SQUARES, LSCAN_AGAIN };

/* @return where a kept line has what the thread held in front of a segment: H and E of
 *         each row; the H in front of the first row, and the base of the block before
 * @param segment  columns of one; squares: of a square
 * @param strip    squares: that of the square */
template <int ROWS, typename LINE>
CUDA_BOTH inline LINE *lscan_held(LINE *line, int stride, int n_columns, int column,
                                  int segment = LSCAN_SEGMENT, int strip = 0)
{
    return line + (lscan_line_len(n_columns) +
                   (strip * (n_columns / segment + 1) + column / segment) * (ROWS + 1)) *
                      stride;
}

/* The columns of a pair that are swept. */
struct lscan_range_t {
    int from, n; /* multiples of LSCAN_QUAD */
    int len;     /* columns that a line has room for */
};

/* Keep what a thread holds in front of a segment. @param held  out: lscan_held */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_hold(const lscan_thread_t<KIND, ROWS> &s, int stride,
                                 lscan_line_t<lscan_word<KIND>> *held)
{
    using word = lscan_word<KIND>;

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++)
        held[r * stride] = lscan_line_t<word>{s.h[r], s.e[r]};
    held[ROWS * stride] = lscan_line_t<word>{s.diagonal, word(s.base.score)};
}

/* Sweep the rows that a thread holds over columns.
 * @param line    of the first column: the values above the rows; out: those of the last
 *                one, `down` further on.  Relative kinds: behind the columns the bases of
 *                blocks
 * @param stride  from a column of the line to the next one */
template <int KIND, int ROWS, lscan_keeps_t KEEPS, typename TABLE>
CUDA_BOTH inline void lscan_sweep_rows(const lscan_launch_t &p, const TABLE &table,
                                       const lscan_pairs_t &pairs, int row0,
                                       const lscan_range_t &range,
                                       lscan_thread_t<KIND, ROWS> &s,
                                       lscan_line_t<lscan_word<KIND>> *line, int stride,
                                       long long down)
{
    lscan_line_t<lscan_word<KIND>> ahead[LSCAN_QUAD];
    lscan_line_t<lscan_word<KIND>> *const first = line;
    lscan_line_t<lscan_word<KIND>> *base = line + lscan_bases_at(range.len) * stride;
    const int behind = pairs.n_columns - range.from;
    lscan_quad_t next = lscan_quad<KIND>(pairs, behind);
    [[maybe_unused]] lscan_word<KIND> next_base = base->h;

    CUDA_UNROLL
    for (int i = 0; i < LSCAN_QUAD; i++)
        ahead[i] = line[i * stride];
    for (int j = 0; j < range.n; j += LSCAN_QUAD, line += LSCAN_QUAD * stride) {
        lscan_quad_t quad = next;

        next = lscan_quad<KIND>(pairs, behind - j - LSCAN_QUAD);
        if constexpr (KIND == LSCAN_COMMON_BASES)
            quad.x = common_offsets<true>(quad.x, quad.y);
        else if constexpr (LSCAN_SELECTS<KIND>)
            quad.x <<= 2; /* bytes of an entry; a letter is less than 32 */
        if ((KEEPS == LSCAN_STRIPS || KEEPS == LSCAN_AGAIN) && j % LSCAN_SEGMENT == 0)
            lscan_hold(s, stride, lscan_held<ROWS>(first + down, stride, range.len, j));
        if (KEEPS == LSCAN_SQUARES && (j & (p.square - 1)) == 0)
            lscan_hold(s, stride,
                       lscan_held<ROWS>(first + down, stride, range.len, j, p.square,
                                        (row0 & (p.square - 1)) / ROWS));
        if constexpr (LSCAN_IS_RELATIVE<KIND>) {
            if (j % LSCAN_BASE_COLUMNS == 0) {
                lscan_start_block<ROWS>(p, s, next_base);
                base[down].h = s.base.score;
                base += stride;
            }
            if (j % LSCAN_BASE_COLUMNS == LSCAN_BASE_COLUMNS - LSCAN_QUAD)
                next_base = base->h;
        }
        CUDA_UNROLL
        for (int i = 0; i < LSCAN_QUAD; i++) {
            const lscan_column_t<KIND, ROWS> column =
                lscan_column<KIND, ROWS>(table, s.rows, quad.x >> (8 * i) & 0xff,
                                         quad.y >> (8 * i) & 0xff);
            lscan_line_t<lscan_word<KIND>> up = ahead[i];

            ahead[i] = line[(LSCAN_QUAD + i) * stride]; /* behind the last: slack */
            if constexpr (LSCAN_IS_KEY<KIND>) {
                const lscan_word<KIND> top = lscan_step_keys<ROWS>(p, s, up, column);

                if (KEEPS != LSCAN_AGAIN && top >= s.best)
                    lscan_note_end(p, KEEPS != LSCAN_ONE && pairs.pairs[0].target_first,
                                   s, top, row0, j + i);
            } else {
                lscan_step<KIND, ROWS>(p, s, up, column);
            }
            line[i * stride + down] = up;
        }
    }
}

/* Align the pairs of a thread.
 * @param line  [lscan_line_len(n_columns)], `stride` apart: scratch; or lscan_kept_t's
 *              lines */
template <int KIND, int ROWS, lscan_keeps_t KEEPS>
CUDA_BOTH inline void lscan_sweep(const lscan_launch_t &p,
                                  const lscan_table_t<KIND> &table,
                                  const lscan_pairs_t &pairs,
                                  lscan_thread_t<KIND, ROWS> &s,
                                  lscan_line_t<lscan_word<KIND>> *line, int stride)
{
    using word = lscan_word<KIND>;
    const word empty = 0;
    const word gap =
        LSCAN_IS_KEY<KIND> ? word(lscan_keys<KIND>(p).open) : word(p.words.open);
    const int n_bases =
        LSCAN_IS_RELATIVE<KIND> ? (pairs.n_columns - 1) / LSCAN_BASE_COLUMNS + 1 : 0;
    const long long len = KEEPS == LSCAN_SQUARES
                              ? lscan_square_len<ROWS>(pairs.n_columns, p.square)
                          : KEEPS == LSCAN_STRIPS ? lscan_kept_len<ROWS>(pairs.n_columns)
                                                  : 0;

    s.best = LSCAN_IS_KEY<KIND> ? word(1) : empty; /* no key of a score above 0 is less */
    s.key = 1;
    s.end = lscan_end_t{-1, -1};
    for (int j = 0; j < pairs.n_columns + LSCAN_QUAD + n_bases; j++)
        line[static_cast<long long>(j) * stride] = lscan_line_t<word>{empty, gap};
    for (int row0 = 0; row0 < pairs.n_rows; row0 += ROWS) {
        const bool in_place = KEEPS == LSCAN_SQUARES && (row0 & (p.square - 1)) != 0;
        const long long down = in_place ? 0 : len * stride;

        lscan_start_rows<ROWS>(p, pairs, row0, &s.rows);
        s.diagonal = empty;
        s.base = lscan_base_t{0, 0, 0};
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++) {
            s.h[r] = empty;
            s.e[r] = gap;
        }
        lscan_sweep_rows<KIND, ROWS, KEEPS>(p, table, pairs, row0,
                                            {0, pairs.n_columns, pairs.n_columns}, s,
                                            line, stride, down);
        line += down;
    }
}

/* Store the results of a pair of the batch. @param best  its key */
CUDA_BOTH inline void lscan_store_key(const lscan_launch_t &p, unsigned at, nw_key_t key,
                                      long long best, const lscan_end_t &end)
{
    int64_t score, matches = 0, columns = 0;

    if (key.score_shift == 0)
        score = best;
    else
        nw_key_split(key, best, &score, &matches, &columns);
    const bool none = end.i < 0 || score <= 0; /* the empty alignment */

    p.score[at] = none ? 0 : static_cast<int>(score);
    if (p.matches == nullptr)
        return;
    p.matches[at] = none ? 0 : static_cast<int>(matches);
    p.columns[at] = none ? 0 : static_cast<int>(columns);
}

/* Store the results of the thread's pairs.
 * @param n_pairs  of them, and of later threads */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_store(const lscan_launch_t &p, const lscan_pairs_t &pairs,
                                  const lscan_thread_t<KIND, ROWS> &s, int n_pairs)
{
    if constexpr (LSCAN_IS_KEY<KIND>)
        lscan_store_key(p, pairs.pairs[0].index,
                        LSCAN_IS_RELATIVE<KIND> ? p.key32 : p.key,
                        LSCAN_IS_RELATIVE<KIND> ? s.key : static_cast<long long>(s.best),
                        s.end);
    else
        for (int i = 0; i < 2 && i < n_pairs; i++)
            p.score[pairs.pairs[i].index] = static_cast<int>(s.best >> (16 * i) & 0xffff);
}

} // namespace
