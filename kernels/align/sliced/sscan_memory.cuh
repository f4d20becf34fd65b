/*
 * sscan_memory.cuh - what a thread of sscan has in memory: its pairs, their letters as
 * bits, and the line between one strip of rows and the next.
 *
 * Pads are rows and columns in front of the first letter, so that all pairs end in the
 * same cell.
 *
 * Everything here also runs on the CPU, where test_sscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/sliced/sscan_team.cuh"

namespace
{

enum sscan_of_t { SSCAN_OF_ROWS, SSCAN_OF_COLUMNS };

/* The memory of a thread; elements are `stride` apart. */
template <int PLANES> struct sscan_memory_t {
    sscan_lane_pair_t *lane_pairs;    /* [SSCAN_PAIRS] */
    unsigned *line;                   /* [columns][SSCAN_LINE_WORDS] */
    sscan_letters_t<PLANES> *letters; /* [SSCAN_ROWS] of the thread's rows */
    unsigned *pads; /* [SSCAN_ROWS + 1] which pairs have a pad: the row above, the rows */
    int stride;
    bool codes_match; /* sscan_launch_t */
};

/* The size of the matrix, the same for all threads of a warp. */
struct sscan_size_t {
    int n[2];      /* rows and columns, including pads */
    int pads[2];   /* the maximum */
    int low, high; /* the band: row - low <= column <= row + high */
};

/* Make room for a pair. */
CUDA_BOTH inline void sscan_include_size(sscan_size_t *size,
                                         const sscan_lane_pair_t &lane_pair)
{
    constexpr int STEP[2] = {SSCAN_ROWS, SSCAN_LETTERS};

    for (int k = 0; k < 2; k++)
        size->n[k] =
            max(size->n[k], (lane_pair.len[k] + STEP[k] - 1) / STEP[k] * STEP[k]);
}

/* Make room for its pads, and its band (score_band.h).
 * @param size  its n is that of all pairs
 * @param w     of the band; < 0: none */
CUDA_BOTH inline void sscan_include_band(sscan_size_t *size,
                                         const sscan_lane_pair_t &lane_pair, int w)
{
    const int longer = lane_pair.len[0] - lane_pair.len[1];
    const int pads[2] = {size->n[0] - lane_pair.len[0], size->n[1] - lane_pair.len[1]};
    const int shift = pads[0] - pads[1];

    for (int k = 0; k < 2; k++)
        size->pads[k] = max(size->pads[k], pads[k]);
    size->low = max(size->low, w < 0 ? size->n[0] : w + max(longer, 0) + shift);
    size->high = max(size->high, w < 0 ? size->n[1] : w + max(-longer, 0) - shift);
}

/* @return the score of a pair of m and n letters */
CUDA_BOTH inline int sscan_score_of(const sscan_score_t &score, int units, int m, int n)
{
    return score.unit * units - score.cost * (m + n);
}

template <int PLANES>
CUDA_BOTH inline unsigned *sscan_column(const sscan_memory_t<PLANES> &m, int column)
{
    return m.line + static_cast<long long>(column) * SSCAN_LINE_WORDS * m.stride;
}

template <int PLANES>
CUDA_BOTH inline sscan_delta_t sscan_read_delta(const sscan_memory_t<PLANES> &m,
                                                int column)
{
    const unsigned *at = sscan_column(m, column);

    return sscan_delta_t{{at[0], at[m.stride], at[2 * m.stride]}};
}

template <int PLANES>
CUDA_BOTH inline void sscan_write_rise(const sscan_memory_t<PLANES> &m, int column,
                                       const sscan_delta_t &u)
{
    unsigned *at = sscan_column(m, column);

    CUDA_UNROLL
    for (int k = 0; k < 3; k++)
        at[k * m.stride] = u.at[k];
}

template <int PLANES>
CUDA_BOTH inline sscan_gap_t sscan_read_gap(const sscan_memory_t<PLANES> &m, int column)
{
    const unsigned *at = sscan_column(m, column) + SSCAN_LINE_Y * m.stride;

    return sscan_gap_t{{at[0], at[m.stride]}};
}

template <int PLANES>
CUDA_BOTH inline void sscan_write_gap(const sscan_memory_t<PLANES> &m, int column,
                                      const sscan_gap_t &y)
{
    unsigned *at = sscan_column(m, column) + SSCAN_LINE_Y * m.stride;

    at[0] = y.at[0];
    at[m.stride] = y.at[1];
}

/* @return which pairs have a pad in a column; all of them in front of the first one */
template <int PLANES>
CUDA_BOTH inline unsigned sscan_column_pads(const sscan_memory_t<PLANES> &m, int column)
{
    return column < 0 ? ~0u : sscan_column(m, column)[SSCAN_LINE_PADS * m.stride];
}

/* @return eight letters of a pair, each in four bits; pads may be any
 * @param behind  letters from the first of them to the sequence's end */
CUDA_BOTH inline unsigned sscan_eight(const unsigned char *end, int len, int behind)
{
    if (behind > len + CUDA_SET_ALIGN) /* zeros in front of a sequence */
        return 0;
    const unsigned *at = reinterpret_cast<const unsigned *>(end - behind);

    return at[0] | at[1] << 4;
}

/* @return the sets of 32 letters; unless codes match, empty ones in place of codes
 * @param set  [SSCAN_CODES] */
CUDA_BOTH inline sscan_letters_t<SSCAN_CODES> sscan_sets(const unsigned *set,
                                                         bool codes_match)
{
    const unsigned codes =
        (set[0] & set[1]) | (set[2] & set[3]) | ((set[0] | set[1]) & (set[2] | set[3]));
    const unsigned kept = codes_match ? ~0u : ~codes;

    return {{set[0] & kept, set[1] & kept, set[2] & kept, set[3] & kept}};
}

/* Slice eight letters of rows or columns. @param out  [SSCAN_LETTERS] */
template <int PLANES>
CUDA_BOTH inline void sscan_slice_letters(const sscan_memory_t<PLANES> &m, sscan_of_t of,
                                          int behind, sscan_letters_t<PLANES> *out)
{
    unsigned x[SSCAN_PAIRS];

    CUDA_UNROLL
    for (int p = 0; p < SSCAN_PAIRS; p++) {
        const sscan_lane_pair_t &lane_pair = m.lane_pairs[p * m.stride];

        x[p] = sscan_eight(lane_pair.end[of], lane_pair.len[of], behind);
    }
    sscan_transpose(x);
    CUDA_UNROLL
    for (int i = 0; i < SSCAN_LETTERS; i++) {
        const unsigned *set = x + (i % 4 * 8 + i / 4 * 4);

        if constexpr (PLANES == SSCAN_PLAIN)
            out[i] = {{set[1] | set[3], set[2] | set[3]}};
        else
            out[i] = sscan_sets(set, m.codes_match);
    }
}

/* Find which pairs have a pad in 32 rows or columns. @param x  [32] out */
template <int PLANES>
CUDA_BOTH inline void sscan_slice_pads(const sscan_memory_t<PLANES> &m,
                                       const sscan_size_t &size, sscan_of_t of, int first,
                                       unsigned *x)
{
    CUDA_UNROLL
    for (int p = 0; p < SSCAN_PAIRS; p++) {
        const int pads = size.n[of] - m.lane_pairs[p * m.stride].len[of] - first;

        x[p] = pads <= 0 ? 0u : pads >= 32 ? ~0u : (1u << pads) - 1;
    }
    sscan_transpose(x);
}

/* Fill in the line: letters, pads, and the border above all rows.  The members of a team
 * share the columns. */
template <int PLANES>
CUDA_BOTH inline void sscan_fill_columns(const sscan_memory_t<PLANES> &m,
                                         const sscan_team_t &team,
                                         const sscan_size_t &size)
{
    const int n = size.n[SSCAN_OF_COLUMNS];

    CUDA_NO_UNROLL
    for (int j = team.member * SSCAN_LETTERS; j < n; j += team.n * SSCAN_LETTERS) {
        sscan_letters_t<PLANES> letters[SSCAN_LETTERS];

        sscan_slice_letters<PLANES>(m, SSCAN_OF_COLUMNS, n - j, letters);
        CUDA_UNROLL
        for (int i = 0; i < SSCAN_LETTERS; i++) {
            unsigned *at = sscan_column(m, j + i) + SSCAN_LINE_LETTERS * m.stride;

            CUDA_UNROLL
            for (int k = 0; k < PLANES; k++)
                at[k * m.stride] = letters[i].at[k];
        }
    }
    /* 32 words, the first of which is of the column in front */
    CUDA_NO_UNROLL
    for (int j = team.member * 31; j < n; j += team.n * 31) {
        unsigned x[32] = {};

        if (j <= size.pads[SSCAN_OF_COLUMNS])
            sscan_slice_pads<PLANES>(m, size, SSCAN_OF_COLUMNS, j - 1, x);
        CUDA_UNROLL
        for (int i = 0; i < 31; i++)
            if (j + i < n) {
                sscan_column(m, j + i)[SSCAN_LINE_PADS * m.stride] = x[i + 1];
                sscan_write_rise(m, j + i, sscan_border(x[i] & ~x[i + 1]));
                sscan_write_gap(m, j + i, sscan_gap_t{{~0u, ~0u}});
            }
    }
}

/* Fill in the letters and the pads of the thread's rows. */
template <int PLANES>
CUDA_BOTH inline void sscan_fill_rows(const sscan_memory_t<PLANES> &m,
                                      const sscan_size_t &size, int row0)
{
    static_assert(SSCAN_ROWS < 32,
                  "one word has the pads of all rows, and the one above");
    unsigned x[32] = {};

    CUDA_NO_UNROLL
    for (int r = 0; r < SSCAN_ROWS; r += SSCAN_LETTERS) {
        sscan_letters_t<PLANES> letters[SSCAN_LETTERS];

        sscan_slice_letters<PLANES>(m, SSCAN_OF_ROWS, size.n[SSCAN_OF_ROWS] - row0 - r,
                                    letters);
        CUDA_UNROLL
        for (int i = 0; i < SSCAN_LETTERS; i++)
            m.letters[(r + i) * m.stride] = letters[i];
    }
    if (row0 <= size.pads[SSCAN_OF_ROWS])
        sscan_slice_pads<PLANES>(m, size, SSCAN_OF_ROWS, row0 - 1, x);
    CUDA_UNROLL
    for (int r = 0; r <= SSCAN_ROWS; r++)
        m.pads[r * m.stride] = x[r];
}

/* @return which pairs have their first letter in row r of the thread's */
template <int PLANES>
CUDA_BOTH inline unsigned sscan_first_row(const sscan_memory_t<PLANES> &m, int r)
{
    return m.pads[r * m.stride] & ~m.pads[(r + 1) * m.stride];
}

} // namespace
