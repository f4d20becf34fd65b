/*
 * lscan_common.cuh - warps whose lanes have the same rows (cuda_common.cuh): the scores
 * of COMMON_BASES, COMMON_PROFILE and TWIN_PROFILE, and the steps of COMMON_KEYS32.
 */
#pragma once

#include "kernels/align/local/lscan_pairs.cuh"

static_assert(ALPHABET_SIZE == COMMON_ENTRIES, "a letter's number is that of its entry");

namespace
{

/* @return the score of a row's byte against base `base` of a column, or a pad's: -1 */
CUDA_BOTH inline unsigned lscan_common_score(const lscan_launch_t &p, unsigned row,
                                             int base)
{
    const int score =
        row == 0 || base < 0 ? -1 : p.scores[row * ALPHABET_SIZE + (1u << base)];

    return static_cast<unsigned>(score) & 0xffff;
}

/* Look up the scores of a warp's rows, from row0 on, by the bases of two columns. */
template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<LSCAN_COMMON_BASES, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0];

    common_sync();
    for (int k = common_lane(); k < COMMON_WORDS<ROWS>; k += common_lanes()) {
        const int row = k / COMMON_ENTRIES, entry = k % COMMON_ENTRIES;
        const unsigned letter = lscan_letter(a.row_end, a.m, pairs.n_rows - row0 - row);

        rows->steps[k] = lscan_common_score(p, letter, common_base(entry, 0)) |
                         lscan_common_score(p, letter, common_base(entry, 1)) << 16;
    }
    common_sync();
}

/* The same of four rows at a time, by the letter of one column. */
template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<LSCAN_COMMON_PROFILE, ROWS> *rows)
{
    constexpr int WORDS = ROWS / LSCAN_QUAD * COMMON_ENTRIES;
    const lscan_pair_t &a = pairs.pairs[0];

    common_sync();
    for (int k = common_lane(); k < WORDS; k += common_lanes()) {
        const int row = k / COMMON_ENTRIES * LSCAN_QUAD, letter = k % COMMON_ENTRIES;
        const unsigned letters = lscan_letters(a.row_end, a.m, pairs.n_rows - row0 - row);
        unsigned word = 0;

        for (int r = 0; r < LSCAN_QUAD; r++) {
            const unsigned at = (letters >> (8 * r) & 0xff) * ALPHABET_SIZE;

            word |=
                static_cast<unsigned>(static_cast<unsigned char>(p.scores[at + letter]))
                << (8 * r);
        }
        rows->steps[k] = word;
    }
    common_sync();
}

/* Look up the scores of the rows of both pairs by the letter of their column. */
template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<LSCAN_TWIN_PROFILE, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];

    common_sync();
    for (int k = common_lane(); k < COMMON_WORDS<ROWS>; k += common_lanes()) {
        const int behind = pairs.n_rows - row0 - k / COMMON_ENTRIES;
        const signed char *scores = p.scores + k % COMMON_ENTRIES;
        const int x = scores[lscan_letter(a.row_end, a.m, behind) * ALPHABET_SIZE],
                  y = scores[lscan_letter(b.row_end, b.m, behind) * ALPHABET_SIZE];

        rows->steps[k] = (static_cast<unsigned>(x) & 0xffff) | static_cast<unsigned>(y)
                                                                   << 16;
    }
    common_sync();
}

/* Look up the steps of the rows by the letter of a column. */
template <int ROWS>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<LSCAN_COMMON_KEYS32, ROWS> *rows)
{
    const lscan_pair_t &a = pairs.pairs[0];

    common_sync();
    for (int k = common_lane(); k < COMMON_WORDS<ROWS>; k += common_lanes()) {
        const int behind = pairs.n_rows - row0 - k / COMMON_ENTRIES;
        const unsigned letter = lscan_letter(a.row_end, a.m, behind);

        rows->steps[k] = static_cast<unsigned>(
            p.keys32.steps[letter * ALPHABET_SIZE + k % COMMON_ENTRIES]);
    }
    common_sync();
}

} // namespace
