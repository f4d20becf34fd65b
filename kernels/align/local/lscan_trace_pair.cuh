/*
 * lscan_trace_pair.cuh - sweeps the band of a pair, and follows its path back.
 *
 * Everything here also runs on the CPU, where test_lscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/local/lscan_sweep.cuh"

namespace
{

constexpr int LSCAN_TRACE_ROWS = 16; /* that a thread holds at a time */

/* How the path to a cell goes back, 4 bits (nw_reference.h): H by a diagonal step; if
 * not, H by F and not by E; and the F of the next row, and the E of the next column, by
 * the gap's first letter. */
constexpr unsigned LSCAN_DIAGONAL = 1, LSCAN_BY_F = 2, LSCAN_F_FIRST = 4,
                   LSCAN_E_FIRST = 8;
constexpr int LSCAN_BACK_BITS = 4;

/* A pair and its known numbers. */
struct lscan_known_t {
    const unsigned char *rows, *columns; /* the first letters */
    int end_i, end_j;    /* letters of rows and columns up to the end; 0: no path */
    int n_columns, gaps; /* columns, and the maximum of letters in gaps */
};

/* The band of a thread, whose last cell is the end.  It may be larger than its pair's. */
struct lscan_band_t {
    int n_rows, n_columns; /* rows are a multiple of LSCAN_TRACE_ROWS */
    int gaps;
    lscan_line_t<lscan_key_t> *line; /* [n_columns] */
    uint2 *back; /* [n_rows / LSCAN_TRACE_ROWS][lscan_band_width] bits of 16 rows */
    int stride;  /* from an element of line and back to the next one */
};

/* @return the first column of the strip that begins at row0, and that behind its last */
CUDA_BOTH inline int lscan_band_first(const lscan_band_t &b, int row0)
{
    return max(b.n_columns - b.n_rows + row0 - b.gaps, 0);
}

CUDA_BOTH inline int lscan_band_last(const lscan_band_t &b, int row0)
{
    return min(b.n_columns - b.n_rows + row0 + LSCAN_TRACE_ROWS + b.gaps, b.n_columns);
}

/* @return the maximum columns of a strip */
CUDA_BOTH inline int lscan_band_width(int n_columns, int gaps)
{
    return min(LSCAN_TRACE_ROWS + 2 * gaps, n_columns);
}

/* @return the letter at a place; a pad in front of the first one */
CUDA_BOTH inline unsigned lscan_letter_at(const unsigned char *letters, int place)
{
    return place >= 0 ? letters[place] : 0;
}

/* @return the bits of a cell */
CUDA_BOTH inline unsigned lscan_back_at(const lscan_band_t &b, int i, int j)
{
    const int row0 = i / LSCAN_TRACE_ROWS * LSCAN_TRACE_ROWS, r = i - row0;
    const long long at = static_cast<long long>(i / LSCAN_TRACE_ROWS) *
                             lscan_band_width(b.n_columns, b.gaps) +
                         j - lscan_band_first(b, row0);
    const uint2 bits = b.back[at * b.stride];

    return (r < 8 ? bits.x : bits.y) >> (r % 8 * LSCAN_BACK_BITS) & 15;
}

/* Compute a column of a strip. @return its bits */
CUDA_BOTH inline uint2 lscan_trace_step(const lscan_launch_t &p,
                                        lscan_thread_t<LSCAN_KEYS, LSCAN_TRACE_ROWS> &s,
                                        lscan_line_t<lscan_key_t> &up,
                                        const lscan_key_t *column)
{
    const lscan_key_t open = static_cast<lscan_key_t>(p.keys.open);
    const lscan_key_t extend = static_cast<lscan_key_t>(p.keys.extend);
    lscan_key_t before = s.diagonal, f = up.f;
    unsigned back[2] = {0, 0};

    s.diagonal = up.h;
    CUDA_UNROLL
    for (int r = 0; r < LSCAN_TRACE_ROWS; r++) {
        const lscan_key_t diagonal = before + column[s.rows.at[r]], e = s.e[r];
        const bool by_f = f >= e;
        const lscan_key_t gap = by_f ? f : e;
        const bool is_diagonal = diagonal >= gap;
        const lscan_key_t h = lscan_max(is_diagonal ? diagonal : gap, 0);
        const bool f_first = h + open >= f + extend, e_first = h + open >= e + extend;

        before = s.h[r];
        s.h[r] = h;
        f = f_first ? h + open : f + extend;
        s.e[r] = e_first ? h + open : e + extend;
        back[r / 8] |= ((is_diagonal ? LSCAN_DIAGONAL : 0u) | (by_f ? LSCAN_BY_F : 0u) |
                        (f_first ? LSCAN_F_FIRST : 0u) | (e_first ? LSCAN_E_FIRST : 0u))
                       << (r % 8 * LSCAN_BACK_BITS);
    }
    up = lscan_line_t<lscan_key_t>{s.h[LSCAN_TRACE_ROWS - 1], f};
    return uint2{back[0], back[1]};
}

/* Sweep the band. @param table  of keys */
CUDA_BOTH inline void lscan_trace_sweep(const lscan_launch_t &p, const lscan_key_t *table,
                                        const lscan_known_t &pair, const lscan_band_t &b)
{
    const lscan_line_t<lscan_key_t> outside = {0, static_cast<lscan_key_t>(p.keys.open)};
    const int width = lscan_band_width(b.n_columns, b.gaps);
    lscan_thread_t<LSCAN_KEYS, LSCAN_TRACE_ROWS> s;
    uint2 *back = b.back;
    int known = 0; /* columns of the line that the strip above has written */

    for (int row0 = 0; row0 < b.n_rows; row0 += LSCAN_TRACE_ROWS) {
        const int first = lscan_band_first(b, row0), last = lscan_band_last(b, row0);
        const int row = pair.end_i - b.n_rows + row0, column = pair.end_j - b.n_columns;

        s.diagonal = first > 0 && first <= known
                         ? b.line[static_cast<long long>(first - 1) * b.stride].h
                         : 0;
        CUDA_UNROLL
        for (int r = 0; r < LSCAN_TRACE_ROWS; r++) {
            s.rows.at[r] = lscan_letter_at(pair.rows, row + r) * ALPHABET_SIZE;
            s.h[r] = outside.h;
            s.e[r] = outside.f;
        }
        CUDA_NO_UNROLL
        for (int j = first; j < last; j++) {
            lscan_line_t<lscan_key_t> *at = &b.line[static_cast<long long>(j) * b.stride];
            lscan_line_t<lscan_key_t> up = j < known ? *at : outside;

            back[static_cast<long long>(j - first) * b.stride] =
                lscan_trace_step(p, s, up,
                                 table + lscan_letter_at(pair.columns, column + j));
            *at = up;
        }
        back += static_cast<long long>(width) * b.stride;
        known = last;
    }
}

/*
 * Follow the path of a pair back.
 *
 * @param m, n  letters of rows and columns
 * @param runs  [m + n] out: the last run first
 * @return the number of runs
 */
CUDA_BOTH inline int lscan_follow(const lscan_launch_t &p, const lscan_known_t &pair,
                                  const lscan_band_t &b, int m, int n, unsigned ops,
                                  uint32_t *runs)
{
    enum { IN_H, IN_E, IN_F } value = IN_H;
    const int row = pair.end_i - b.n_rows, column = pair.end_j - b.n_columns;
    int i = b.n_rows - 1, j = b.n_columns - 1;
    cuda_path_t path = {0, 0, 0, 0};

    cuda_path_put(&path, runs, ops, CUDA_LEFT, n - pair.end_j);
    cuda_path_put(&path, runs, ops, CUDA_UP, m - pair.end_i);
    for (int left = pair.n_columns; left > 0; left--) {
        const unsigned back = lscan_back_at(b, i, j);

        if (value == IN_H && (back & LSCAN_DIAGONAL) != 0) {
            const int at = pair.rows[row + i] * ALPHABET_SIZE + pair.columns[column + j];
            const bool matches =
                ((p.keys.steps[at] + 1) >> p.keys.key.match_shift & 1) != 0;

            cuda_path_put(&path, runs, ops,
                          matches ? CUDA_DIAGONAL_MATCH : CUDA_DIAGONAL_MISMATCH, 1);
            i--;
            j--;
            continue;
        }
        if (value == IN_H)
            value = (back & LSCAN_BY_F) != 0 ? IN_F : IN_E;
        if (value == IN_F) {
            i--;
            cuda_path_put(&path, runs, ops, CUDA_UP, 1);
            value = (lscan_back_at(b, i, j) & LSCAN_F_FIRST) != 0 ? IN_H : IN_F;
        } else {
            j--;
            cuda_path_put(&path, runs, ops, CUDA_LEFT, 1);
            value = (lscan_back_at(b, i, j) & LSCAN_E_FIRST) != 0 ? IN_H : IN_E;
        }
    }
    cuda_path_put(&path, runs, ops, CUDA_LEFT, column + j + 1);
    cuda_path_put(&path, runs, ops, CUDA_UP, row + i + 1);
    if (path.run != 0)
        runs[path.n_runs++] = path.run;
    return path.n_runs;
}

} // namespace
