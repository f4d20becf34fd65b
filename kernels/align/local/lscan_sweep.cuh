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

template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &, const lscan_pairs_t &pairs,
                                       int row0, lscan_rows_t<LSCAN_KEYS, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0];

    CUDA_UNROLL
    for (int q = 0; q < ROWS; q += LSCAN_QUAD) {
        const unsigned x = lscan_letters(a.row_end, a.m, pairs.n_rows - row0 - q);

        CUDA_UNROLL
        for (int r = 0; r < LSCAN_QUAD; r++)
            rows->at[q + r] = (x >> (8 * r) & 0xff) * ALPHABET_SIZE;
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
 * @param top  the greatest H of the column, at least the best so far */
template <int ROWS>
CUDA_BOTH inline void lscan_note_end(lscan_thread_t<LSCAN_KEYS, ROWS> &s, lscan_key_t top,
                                     int row0, int column)
{
    int i = row0;

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++)
        i = s.h[r] == top ? row0 + r : i;
    if (top > s.best || i > s.end_i || (i == s.end_i && column > s.end_j)) {
        s.best = top;
        s.end_i = i;
        s.end_j = column;
    }
}

/* Sweep the rows that a thread holds over all columns.
 * @param line    of column 0: the values above the rows; out: those of the last one
 * @param stride  from a column of the line to the next one */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_sweep_rows(const lscan_launch_t &p,
                                       const lscan_table_t<KIND> &table,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_thread_t<KIND, ROWS> &s,
                                       lscan_line_t<lscan_word<KIND>> *line, int stride)
{
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];
    lscan_line_t<lscan_word<KIND>> ahead[LSCAN_QUAD];

    CUDA_UNROLL
    for (int i = 0; i < LSCAN_QUAD; i++)
        ahead[i] = line[i * stride];
    for (int j = 0; j < pairs.n_columns; j += LSCAN_QUAD, line += LSCAN_QUAD * stride) {
        const int behind = pairs.n_columns - j;
        unsigned x = lscan_letters(a.column_end, a.n, behind);
        const unsigned y = KIND == LSCAN_KEYS || KIND == LSCAN_TWIN_PROFILE
                               ? 0
                               : lscan_letters(b.column_end, b.n, behind);

        if constexpr (KIND == LSCAN_COMMON_BASES)
            x = common_offsets<true>(x, y);
        if constexpr (KIND == LSCAN_TWIN_PROFILE)
            x <<= 2; /* bytes of an entry; a letter is less than 32 */
        CUDA_UNROLL
        for (int i = 0; i < LSCAN_QUAD; i++) {
            const lscan_column_t<KIND, ROWS> column =
                lscan_column<KIND, ROWS>(table, s.rows, x >> (8 * i) & 0xff,
                                         y >> (8 * i) & 0xff);
            lscan_line_t<lscan_word<KIND>> up = ahead[i];

            ahead[i] = line[(LSCAN_QUAD + i) * stride]; /* behind the last: slack */
            if constexpr (KIND == LSCAN_KEYS) {
                const lscan_key_t top = lscan_step_keys<ROWS>(p, s, up, column);

                if (top >= s.best)
                    lscan_note_end(s, top, row0, j + i);
            } else {
                lscan_step<KIND, ROWS>(p, s, up, column);
            }
            line[i * stride] = up;
        }
    }
}

/* Align the pairs of a thread.
 * @param line  [n_columns + LSCAN_QUAD], `stride` apart: scratch */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_sweep(const lscan_launch_t &p,
                                  const lscan_table_t<KIND> &table,
                                  const lscan_pairs_t &pairs,
                                  lscan_thread_t<KIND, ROWS> &s,
                                  lscan_line_t<lscan_word<KIND>> *line, int stride)
{
    using word = lscan_word<KIND>;
    const word empty = 0;
    const word gap = KIND == LSCAN_KEYS ? word(p.key_open) : word(p.words.open);

    s.best = KIND == LSCAN_KEYS ? word(1) : empty; /* no key of a score above 0 is less */
    s.end_i = s.end_j = -1;
    for (int j = 0; j < pairs.n_columns + LSCAN_QUAD; j++)
        line[static_cast<long long>(j) * stride] = lscan_line_t<word>{empty, gap};
    for (int row0 = 0; row0 < pairs.n_rows; row0 += ROWS) {
        lscan_start_rows<ROWS>(p, pairs, row0, &s.rows);
        s.diagonal = empty;
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++) {
            s.h[r] = empty;
            s.e[r] = gap;
        }
        lscan_sweep_rows<KIND, ROWS>(p, table, pairs, row0, s, line, stride);
    }
}

/* Store the results of a pair. */
CUDA_BOTH inline void lscan_store_key(const lscan_launch_t &p, const lscan_pairs_t &pairs,
                                      long long best, int end_i, int end_j)
{
    const lscan_pair_t &pair = pairs.pairs[0];
    const unsigned at = pair.index;
    int64_t score, matches = 0, columns = 0;

    if (p.key.score_shift == 0)
        score = best;
    else
        nw_key_split(p.key, best, &score, &matches, &columns);
    const bool none = end_i < 0 || score <= 0; /* the empty alignment */

    p.score[at] = none ? 0 : static_cast<int>(score);
    if (p.matches == nullptr)
        return;
    p.matches[at] = none ? 0 : static_cast<int>(matches);
    p.columns[at] = none ? 0 : static_cast<int>(columns);
    if (p.query_end == nullptr)
        return;
    const int i = end_i + 1 - (pairs.n_rows - pair.m),
              j = end_j + 1 - (pairs.n_columns - pair.n);

    p.query_end[at] = pair.mirrored ? j : i;
    p.target_end[at] = pair.mirrored ? i : j;
}

/* Store the results of the thread's pairs.
 * @param n_pairs  of them, and of later threads */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_store(const lscan_launch_t &p, const lscan_pairs_t &pairs,
                                  const lscan_thread_t<KIND, ROWS> &s, int n_pairs)
{
    if constexpr (KIND == LSCAN_KEYS)
        lscan_store_key(p, pairs, static_cast<long long>(s.best), s.end_i, s.end_j);
    else
        for (int i = 0; i < 2 && i < n_pairs; i++)
            p.score[pairs.pairs[i].index] = static_cast<int>(s.best >> (16 * i) & 0xffff);
}

} // namespace
