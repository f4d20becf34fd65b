/*
 * band_flank.cuh - bounds the cells beside a band from above, FLANK_ROWS rows per
 * operation.
 *
 * Flanks.  A thread sweeps a band in blocks of FLANK_ROWS rows.  Of a block's rows it
 * sweeps the columns from .. to - 1, which move to the right by FLANK_ROWS from block to
 * block.  The cells to the left and to the right of these columns are its flanks.  A path
 * that leaves the band goes through a flank, and may come back.  The flanks are swept by
 * a rule that gives no cell less than its value.  So all cells that depend on them have
 * at least their values, too.  Values that come from a flank carry a mark that wins ties.
 * If the best end has no mark, its value is exact, and no path that leaves the band
 * reaches it.
 *
 * The rule.  Let no step of a path add more to a cell than A if it is a diagonal step of
 * two letters that may match, and nothing otherwise (affine_layout.cuh: extensions of
 * gaps and mismatches add 0, first bases of gaps less).  A cell is then bounded by
 *
 *    h(i, j) <= h0 + A L(i, j),
 *
 * where L follows the recurrence of a longest common subsequence: L(i, j) is the maximum
 * of L(i - 1, j), L(i, j - 1) and L(i - 1, j - 1) + [letters may match].  L has to be at
 * least ceil((h - h0) / A) where a path enters a flank, which is from the border of the
 * matrix or from the band.
 *
 * Bits.  From cell to cell, down or to the right, L grows by 0 or 1.  `level` has a bit
 * per row, 1 where L does not grow from the row above.  A column's changes follow from
 * those of the column before and from the change in the row above, which enters as the
 * carry of an addition; the carry out is the change in the last row (Crochemore et al.
 * 2001, Hyyro 2004).
 *
 * Entering a flank.  The cells next to a flank have any values.  L is made from them: the
 * smallest function that bounds them and grows by 0 or 1 per cell.  So each value also
 * bounds those before it, less A per cell (the caller goes through the cells backwards
 * first), and those behind it.  The first of the cells follows on a cell whose L is known
 * already, and there L never has to grow by more than 1: a path to a cell k columns
 * behind column from - 1 has left that column in some row above or in the cell's own, at
 * no more than L of that row there, and gained at most A per column since.  Rows take the
 * place of columns in the right flank.
 *
 * Pads match nothing, so L passes through them unchanged.
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

/* Rows of a block, at most 32, and columns whose changes a word holds.  Rows are the
 * highest bits of a word; the bits below them are pads. */
constexpr int FLANK_ROWS = 24, FLANK_FIRST_BIT = 32 - FLANK_ROWS;

/* Masks of rows by the letter of a column.  A warp has two pairs per lane: word
 * [letter][pair][lane]. */
constexpr int FLANK_LETTERS = 17, FLANK_PAD = 16, FLANK_LANES = 32,
              FLANK_STRIDE = 2 * FLANK_LANES, FLANK_MASKS = FLANK_LETTERS * FLANK_STRIDE;

/*
 * Advance by one column.
 *
 * @param level   out: of this column
 * @param match   rows whose letters may match that of the column
 * @param above   bit 31: whether L grows from the column before in the row above; shifted
 *                out
 * @param below   shifted in: whether it does so in the last row
 */
CUDA_BOTH inline void flank_step(unsigned &level, unsigned match, unsigned &above,
                                 unsigned &below)
{
    const unsigned matching = level & match;
    unsigned sum = 0;

#ifdef __CUDA_ARCH__
    asm("add.cc.u32 %0, %0, %0;\n\t"
        "addc.cc.u32 %1, %3, %4;\n\t"
        "addc.u32 %2, %2, %2;"
        : "+r"(above), "=&r"(sum), "+r"(below)
        : "r"(level), "r"(matching));
#else
    const unsigned long long carried =
        static_cast<unsigned long long>(level) + matching + (above >> 31);

    sum = static_cast<unsigned>(carried);
    above <<= 1;
    below = below << 1 | static_cast<unsigned>(carried >> 32);
#endif
    level = sum | (level & ~match);
}

/* @return whether L grows from the row above to row r */
CUDA_BOTH inline unsigned flank_grows(unsigned level, int r)
{
    return ~level >> (FLANK_FIRST_BIT + r) & 1;
}

/* @return the bits in reversed order */
CUDA_BOTH inline unsigned flank_reverse(unsigned bits)
{
#ifdef __CUDA_ARCH__
    return __brev(bits);
#else
    unsigned out = 0;

    for (int k = 0; k < 32; k++)
        out |= (bits >> k & 1) << (31 - k);
    return out;
#endif
}

/* @return how many bits are 1 */
CUDA_BOTH inline unsigned flank_count(unsigned bits)
{
#ifdef __CUDA_ARCH__
    return static_cast<unsigned>(__popc(bits));
#else
    return static_cast<unsigned>(__builtin_popcount(bits));
#endif
}

/* @return bits 0 .. 3: whether the sets of four rows, in bytes, have a base 0 .. 3 */
CUDA_BOTH inline unsigned flank_rows_with(unsigned letters, int base)
{
    return ((letters >> base & 0x01010101u) * 0x01020408u) >> 24 & 15;
}

/* The changes of L along a border: a terminal gap of k > 0 bases is worth offset + slope
 * k, with offset <= 0 and 0 <= slope <= A, and L is at least 0. */
struct flank_border_t {
    int slope, worth, match; /* less what L accounts for: <= 0; A */
};

/* Go on by one base. @return whether L grows */
CUDA_BOTH inline unsigned flank_border_next(flank_border_t &border)
{
    border.worth += border.slope;
    if (border.worth <= 0)
        return 0;
    border.worth -= border.match;
    return 1;
}

} // namespace
