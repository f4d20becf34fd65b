/*
 * sscan_sweep.cuh - aligns the 32 pairs of a thread: the rows that it holds at a time,
 * bands, and scores.
 *
 * What leads out of a pad is set to the border that the pair would have there
 * (sscan_set_border).
 *
 * Bands.  Of the rows that a thread holds at a time it sweeps the columns from .. to - 1.
 * In the row above them, a column that was not swept there is reached by one gap along
 * that row; in column from - 1, a row is reached by one gap down from the row above.  So
 * every score is that of a path, and that of the best one if it lies in the band.
 *
 * Everything here also runs on the CPU, where test_sscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/sliced/sscan_memory.cuh"

namespace
{

struct sscan_thread_t {
    sscan_delta_t v[SSCAN_ROWS]; /* of the column before */
    sscan_gap_t x[SSCAN_ROWS];
};

/* Where h is known: a cell on the way along the bands' lower edge. */
struct sscan_height_t {
    sscan_sum_t sum;
    int n; /* numbers that were added; each is SSCAN_OPEN too large */
};

CUDA_BOTH inline void sscan_add_delta(sscan_height_t *height, const sscan_delta_t &delta)
{
    sscan_add(&height->sum, delta);
    height->n++;
}

/* What is read ahead of a column. */
template <int PLANES> struct sscan_ahead_t {
    sscan_delta_t u;
    sscan_gap_t y;
    sscan_letters_t<PLANES> letters;
};

template <int PLANES>
CUDA_BOTH inline sscan_ahead_t<PLANES> sscan_read(const sscan_memory_t<PLANES> &m,
                                                  int column)
{
    sscan_ahead_t<PLANES> out = {sscan_read_delta(m, column),
                                 sscan_read_gap(m, column),
                                 {}};

    CUDA_UNROLL
    for (int k = 0; k < PLANES; k++)
        out.letters.at[k] = sscan_column(m, column)[(SSCAN_LINE_LETTERS + k) * m.stride];
    return out;
}

/* @return 0, which the compiler does not know: or it would move the letters of all rows
 * to registers */
CUDA_BOTH inline int sscan_zero()
{
    int zero = 0;

#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(zero));
#endif
    return zero;
}

/* Compute the cells of a column.
 * @param pads, first  which pairs have a pad there, and which their first letter */
template <int PLANES, bool PADS>
CUDA_BOTH inline void sscan_step(const sscan_memory_t<PLANES> &m,
                                 const sscan_letters_t<PLANES> &letters, unsigned pads,
                                 unsigned first, sscan_thread_t &s, sscan_delta_t *u,
                                 sscan_gap_t *y)
{
    const sscan_letters_t<PLANES> *rows = m.letters + sscan_zero();

    CUDA_UNROLL
    for (int r = 0; r < SSCAN_ROWS; r++) {
        sscan_cell(sscan_match(rows[r * m.stride], letters), &s.v[r], &s.x[r], u, y);
        if constexpr (PADS) {
            const unsigned both = pads | m.pads[(r + 1) * m.stride];

            sscan_set_border(both, first, u, y);
            sscan_set_border(both, sscan_first_row(m, r), &s.v[r], &s.x[r]);
        }
    }
}

/* Sweep columns from .. to - 1 of a strip, behind the member in front and in front of the
 * next one. @tparam PADS  whether cells may be pads */
template <int PLANES, bool PADS>
CUDA_BOTH inline void sscan_sweep_columns(const sscan_memory_t<PLANES> &m,
                                          const sscan_team_t &team, int strip, int from,
                                          int to, sscan_thread_t &s)
{
    if (from >= to)
        return;
    int readable = min(from + SSCAN_DISTANCE, to);

    sscan_await(team, strip - 1, readable);
    sscan_ahead_t<PLANES> ahead = sscan_read(m, from);
    unsigned before = PADS ? sscan_column_pads(m, from - 1) : 0;

    CUDA_NO_UNROLL
    for (int j = from; j < to; j++) {
        const sscan_ahead_t<PLANES> column = ahead;

        if (j + 1 == readable && j + 1 < to) {
            sscan_publish(team, strip, j);
            readable = min(readable + SSCAN_DISTANCE, to);
            sscan_await(team, strip - 1, readable);
        }
        if (j + 1 < to)
            ahead = sscan_read(m, j + 1);
        const unsigned pads = PADS ? sscan_column_pads(m, j) : 0;
        sscan_delta_t u = column.u;
        sscan_gap_t y = column.y;

        sscan_step<PLANES, PADS>(m, column.letters, pads, before & ~pads, s, &u, &y);
        sscan_write_rise(m, j, u);
        sscan_write_gap(m, j, y);
        before = pads;
    }
    sscan_publish(team, strip, to);
}

/* @return the first column of the rows from row0 on, and that behind the last one */
CUDA_BOTH inline int sscan_from(const sscan_size_t &size, int row0)
{
    return min(max(row0 - size.low, 0), size.n[SSCAN_OF_COLUMNS]);
}

CUDA_BOTH inline int sscan_to(const sscan_size_t &size, int row0)
{
    return min(max(row0 + SSCAN_ROWS + size.high, 0), size.n[SSCAN_OF_COLUMNS]);
}

/* Set what is to the left of column `from`, and go down there. */
template <int PLANES>
CUDA_BOTH inline void sscan_start_left(const sscan_memory_t<PLANES> &m, int from,
                                       sscan_thread_t &s, sscan_height_t *height)
{
    /* where column from - 1, or the row above, is a pad or the border */
    const unsigned border = sscan_column_pads(m, from - 1) | m.pads[0];
    unsigned any_first = 0;

    CUDA_UNROLL
    for (int r = 0; r < SSCAN_ROWS; r++) {
        const unsigned first = sscan_first_row(m, r);

        any_first |= r > 0 ? first : 0;
        s.v[r] = sscan_border(first);
        s.x[r] = sscan_gap_t{{~0u, ~0u}};
    }
    if (from > 0) { /* a gap down from the row above has h - y */
        const sscan_gap_t y = sscan_read_gap(m, from - 1);

        for (int k = 0; k < 2; k++)
            s.v[0].at[k] = (border & s.v[0].at[k]) | (~border & ~y.at[k]);
    }
    sscan_add_delta(height, s.v[0]);
    sscan_add_delta(height, sscan_border(any_first));
}

/* Let the column behind those that were swept be reached by a gap along the last row. */
template <int PLANES>
CUDA_BOTH inline void sscan_extend_line(const sscan_memory_t<PLANES> &m, int to,
                                        const sscan_thread_t &s)
{
    const unsigned pads = m.pads[SSCAN_ROWS * m.stride]; /* they have their border */
    const sscan_gap_t &x = s.x[SSCAN_ROWS - 1];
    sscan_delta_t u = sscan_read_delta(m, to);

    for (int k = 0; k < 2; k++)
        u.at[k] = (pads & u.at[k]) | (~pads & ~x.at[k]);
    u.at[2] &= pads;
    sscan_write_rise(m, to, u);
}

/* Go along the line from a column to another one. */
template <int PLANES>
CUDA_BOTH inline void sscan_go_along(const sscan_memory_t<PLANES> &m, int from, int to,
                                     sscan_height_t *height)
{
    CUDA_NO_UNROLL
    for (int j = from; j < to; j++)
        sscan_add_delta(height, sscan_read_delta(m, j));
}

/* @param units  [SSCAN_PAIRS] out: h of each pair */
CUDA_BOTH inline void sscan_units(const sscan_height_t &height, int *units)
{
    unsigned x[SSCAN_PAIRS] = {};

    CUDA_UNROLL
    for (int k = 0; k < SSCAN_SUM_BITS; k++)
        x[k] = height.sum.at[k];
    sscan_transpose(x);
    CUDA_UNROLL
    for (int p = 0; p < SSCAN_PAIRS; p++)
        units[p] = static_cast<int>(x[p]) - SSCAN_OPEN * height.n;
}

/* Sweep a strip of rows, and go on to the cell where the next one begins. */
template <int PLANES>
CUDA_BOTH inline void sscan_sweep_strip(const sscan_memory_t<PLANES> &m,
                                        const sscan_team_t &team,
                                        const sscan_size_t &size, int strip,
                                        sscan_height_t *height)
{
    const int row0 = strip * SSCAN_ROWS, n_columns = size.n[SSCAN_OF_COLUMNS];
    const int from = sscan_from(size, row0), to = sscan_to(size, row0);
    const bool is_last = row0 + SSCAN_ROWS == size.n[SSCAN_OF_ROWS];
    const int masked_to = row0 < size.pads[SSCAN_OF_ROWS]
                              ? to
                              : min(max(size.pads[SSCAN_OF_COLUMNS], from), to);
    sscan_thread_t s;

    sscan_fill_rows<PLANES>(m, size, row0);
    sscan_await(team, strip - 1, from);
    sscan_start_left<PLANES>(m, from, s, height);
    sscan_sweep_columns<PLANES, true>(m, team, strip, from, masked_to, s);
    sscan_sweep_columns<PLANES, false>(m, team, strip, masked_to, to, s);
    if (to < n_columns)
        sscan_extend_line<PLANES>(m, to, s);
    sscan_publish(team, strip, n_columns);
    sscan_go_along<PLANES>(m, from,
                           is_last ? n_columns : sscan_from(size, row0 + SSCAN_ROWS),
                           height);
}

/* Align the pairs of a thread, whose line is filled in.
 * @param m       with lane pairs
 * @param height  out: the sum over the team is that of the last cell */
template <int PLANES>
CUDA_BOTH inline void sscan_sweep(const sscan_memory_t<PLANES> &m,
                                  const sscan_team_t &team, const sscan_size_t &size,
                                  sscan_height_t *height)
{
    const int n_strips = size.n[SSCAN_OF_ROWS] / SSCAN_ROWS;

    if (team.member == 0)
        sscan_go_along<PLANES>(m, 0, sscan_from(size, 0), height);
    for (int strip = team.member; strip < n_strips; strip += team.n)
        sscan_sweep_strip<PLANES>(m, team, size, strip, height);
}

} // namespace
