/*
 * lscan_common.cuh - warps whose lanes have the same rows (cuda_common.cuh): the scores
 * of COMMON_BASES, COMMON_PROFILE and TWIN_PROFILE, and the steps of COMMON_KEYS32 and
 * COMMON_TRACED32.
 */
#pragma once

#include "kernels/align/local/lscan_pairs.cuh"

static_assert(ALPHABET_SIZE == COMMON_ENTRIES, "a letter's number is that of its entry");

namespace
{

/* Rows of a word of steps. */
template <int KIND>
constexpr int LSCAN_WORD_ROWS = KIND == LSCAN_COMMON_PROFILE ? LSCAN_QUAD : 1;

/* @return the score of a row's byte against base `base` of a column, or a pad's: -1 */
CUDA_BOTH inline unsigned lscan_common_score(const lscan_launch_t &p, unsigned row,
                                             int base)
{
    const int score =
        row == 0 || base < 0 ? -1 : p.scores[row * ALPHABET_SIZE + (1u << base)];

    return static_cast<unsigned>(score) & 0xffff;
}

/* @return the scores of a row by the bases of two columns */
CUDA_BOTH inline unsigned lscan_common_bases(const lscan_launch_t &p, unsigned row,
                                             int entry)
{
    return lscan_common_score(p, row, common_base(entry, 0)) |
           lscan_common_score(p, row, common_base(entry, 1)) << 16;
}

/* @return the scores of four rows by the letter of one column */
CUDA_BOTH inline unsigned lscan_common_profile(const lscan_launch_t &p, unsigned rows,
                                               int letter)
{
    unsigned word = 0;

    for (int i = 0; i < 32; i += 8) {
        const signed char *scores = p.scores + (rows >> i & 0xff) * ALPHABET_SIZE;

        word |= static_cast<unsigned>(static_cast<unsigned char>(scores[letter])) << i;
    }
    return word;
}

/* @return the word of the rows that begin `behind` rows in front of the end
 * @param entry  of the columns (cuda_common.cuh), or the letter of one column */
template <int KIND>
CUDA_BOTH inline unsigned lscan_common_word(const lscan_launch_t &p,
                                            const lscan_pairs_t &pairs, int behind,
                                            int entry)
{
    const lscan_pair_t &a = pairs.pairs[0], &b = pairs.pairs[1];

    if constexpr (KIND == LSCAN_COMMON_PROFILE)
        return lscan_common_profile(p, lscan_letters(a.row_end, a.m, behind), entry);
    const unsigned row = lscan_letter(a.row_end, a.m, behind);
    const unsigned at = row * ALPHABET_SIZE + static_cast<unsigned>(entry);

    if constexpr (KIND == LSCAN_COMMON_BASES)
        return lscan_common_bases(p, row, entry);
    if constexpr (LSCAN_IS_KEY<KIND>)
        return static_cast<unsigned>(lscan_keys<KIND>(p).steps[at]);
    /* the scores of the rows of both pairs */
    const unsigned other = lscan_letter(b.row_end, b.m, behind);
    const int x = p.scores[at], y = p.scores[other * ALPHABET_SIZE + entry];

    return (static_cast<unsigned>(x) & 0xffff) | static_cast<unsigned>(y) << 16;
}

/* Look up the steps of a warp's rows, from row0 on. */
template <int ROWS, int KIND, std::enable_if_t<lscan_is_common(KIND), int> = 0>
CUDA_BOTH inline void lscan_start_rows(const lscan_launch_t &p,
                                       const lscan_pairs_t &pairs, int row0,
                                       lscan_rows_t<KIND, ROWS> *rows)
{
    constexpr int WORD_ROWS = LSCAN_WORD_ROWS<KIND>;

    common_sync();
    for (int k = common_lane(); k < COMMON_WORDS<ROWS / WORD_ROWS>; k += common_lanes())
        rows->steps[k] =
            lscan_common_word<KIND>(p, pairs,
                                    pairs.n_rows - row0 - k / COMMON_ENTRIES * WORD_ROWS,
                                    k % COMMON_ENTRIES);
    common_sync();
}

} // namespace
