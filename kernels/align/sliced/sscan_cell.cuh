/*
 * sscan_cell.cuh - the cells of 32 pairs at a time, one bit of a word each.
 *
 * Numbers are sliced: word k of a number has bit k of the 32 pairs.  A cell is a circuit
 * of some twenty operations on words (bit slicing, after Biham 1997), on differences of
 * neighbouring cells, which are small (after Loving, Hernandez and Benson 2014, and
 * Suzuki and Kasahara 2018).
 *
 * The scores.  Let h(i, j) = H(i, j) + c (i + j), c the cost of a further base of a gap,
 * in units of match + 2c.  A column of two bases that match adds 1.  It is required that
 * other columns add 0, mismatch = -2c, and that a gap's first base costs O = 3 units
 * besides; further ones add 0.  (vsearch's 2/-4 and 20/2: c = 2, 6 per unit, O = 18 / 6.)
 * Ends are counted.
 *
 * The values.  Take a best path to a cell, and leave out the last base of a sequence.  If
 * it stood against a gap, the gap becomes shorter.  If it stood against a base, a match
 * is lost at most, and that base comes to stand against a gap, which costs O at most. Now
 * leave out the last bases of both.  Either they are a column; or one of them is the last
 * base against a gap, and the base that the other one stood against joins the gap.  So a
 * match is lost at most.  The same holds for a path that ends with a gap, if the last
 * base of the gap's own sequence is left out.  Therefore
 *
 *    z = h(i, j) - h(i-1, j-1)      is 0 or 1
 *    u = h(i, j) - h(i, j-1)        is in -O .. O + 1, and so is v, of (i-1, j)
 *    E = the best path to (i, j) that ends with a gap against the column's base is at
 * most h(i-1, j-1) + 1, and so is F
 *
 * A path to the next column need not remember an E below h - O, where a new gap begins: x
 * = h - max(E, h - O) is in 0 .. O, and so is y of F.  So with x and v of column j - 1,
 * and y and u of row i - 1,
 *
 *    z  = [bases match] or [v - x = 1] or [u - y = 1]
 *    u' = z - v,  v' = z - u,  x' = min(x + u', O),  y' = min(y + v', O).
 *
 * The numbers u + O and v + O have three bits, x and y two.  All of this holds as well
 * for paths that stay in a band (sscan_sweep.cuh).
 *
 * Everything here also runs on the CPU, where test_sscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

constexpr int SSCAN_PAIRS = 32; /* of a word */

/* O, in units. */
constexpr int SSCAN_OPEN = 3;

/* u or v, plus SSCAN_OPEN. */
struct sscan_delta_t {
    unsigned at[3];
};

/* x or y. */
struct sscan_gap_t {
    unsigned at[2];
};

/* The sets of bases of 32 letters; without codes, the number of the base. */
template <int PLANES> struct alignas(4 * PLANES) sscan_letters_t {
    unsigned at[PLANES];
};
constexpr int SSCAN_PLAIN = 2, SSCAN_CODES = 4;

/* @return v - x = 1, where v - x <= 1 */
CUDA_BOTH inline unsigned sscan_by_gap(const sscan_delta_t &v, const sscan_gap_t &x)
{
    const unsigned high = cuda_lop<LOP_A &(~(LOP_B ^ LOP_C))>(v.at[2], v.at[1], x.at[1]);

    return cuda_lop<LOP_A &(~(LOP_B ^ LOP_C))>(high, v.at[0], x.at[0]);
}

/* @return z - v, plus SSCAN_OPEN: the complement of v's number, less 1 if z is 0 */
CUDA_BOTH inline sscan_delta_t sscan_less(unsigned z, const sscan_delta_t &v)
{
    sscan_delta_t out;

    out.at[0] = v.at[0] ^ z;
    out.at[1] = cuda_lop<~LOP_A ^ (LOP_B & ~LOP_C)>(v.at[1], v.at[0], z);
    out.at[2] = cuda_lop<~LOP_A ^ (LOP_B & LOP_C)>(v.at[2], v.at[1], out.at[1]);
    return out;
}

/* x = min(x + u, O).  With both numbers as they are stored the sum is 3 .. 10.  Let
 * `twos` be the sum without the lowest bits: the result is 3 if twos >= 3, and if twos =
 * 2 and both lowest bits are set. */
CUDA_BOTH inline void sscan_extend(sscan_gap_t *x, const sscan_delta_t &u)
{
    const unsigned three = cuda_lop<LOP_A &(LOP_B | LOP_C)>(u.at[2], u.at[1], x->at[1]);
    const unsigned two = cuda_lop<LOP_A | (LOP_B & LOP_C)>(u.at[2], u.at[1], x->at[1]);
    const unsigned high = cuda_lop<LOP_A &(LOP_B | LOP_C)>(two, u.at[0], x->at[0]);

    x->at[0] = cuda_lop<LOP_A | (~(LOP_B ^ LOP_C) & 0xff)>(three, u.at[0], x->at[0]);
    x->at[1] = three | high;
}

/* @return whether letters match: their sets have a base in common */
CUDA_BOTH inline unsigned sscan_match(const sscan_letters_t<SSCAN_CODES> &a,
                                      const sscan_letters_t<SSCAN_CODES> &b)
{
    unsigned match = a.at[0] & b.at[0];

    CUDA_UNROLL
    for (int k = 1; k < SSCAN_CODES; k++)
        match = cuda_lop<LOP_A | (LOP_B & LOP_C)>(match, a.at[k], b.at[k]);
    return match;
}

/* The same of numbers of bases. */
CUDA_BOTH inline unsigned sscan_match(const sscan_letters_t<SSCAN_PLAIN> &a,
                                      const sscan_letters_t<SSCAN_PLAIN> &b)
{
    const unsigned differ = a.at[0] ^ b.at[0];

    return cuda_lop<~(LOP_A | (LOP_B ^ LOP_C))>(differ, a.at[1], b.at[1]);
}

/*
 * Compute a cell.
 *
 * @param match  whether its letters match
 * @param v, x   of the column before; out: of this one
 * @param u, y   of the row above; out: of this one
 */
CUDA_BOTH inline void sscan_cell(unsigned match, sscan_delta_t *v, sscan_gap_t *x,
                                 sscan_delta_t *u, sscan_gap_t *y)
{
    const unsigned z = cuda_lop<LOP_A | LOP_B | LOP_C>(match, sscan_by_gap(*v, *x),
                                                       sscan_by_gap(*u, *y));
    const sscan_delta_t down = sscan_less(z, *u);

    *u = sscan_less(z, *v);
    *v = down;
    sscan_extend(x, *u);
    sscan_extend(y, *v);
}

/* @return the difference 0; `first` has the pairs where it is -O instead */
CUDA_BOTH inline sscan_delta_t sscan_border(unsigned first)
{
    return sscan_delta_t{{~first, ~first, 0}};
}

/* Where a cell is a pad, set what leads down from it, or to the right, to that of the
 * border.
 * @param pads   the pairs
 * @param first  where the next cell is the first one behind the corner */
CUDA_BOTH inline void sscan_set_border(unsigned pads, unsigned first,
                                       sscan_delta_t *delta, sscan_gap_t *gap)
{
    constexpr unsigned PICK = (LOP_A & ~LOP_C) | (~LOP_A & LOP_B); /* pads ? ~first */

    delta->at[0] = cuda_lop<PICK>(pads, delta->at[0], first);
    delta->at[1] = cuda_lop<PICK>(pads, delta->at[1], first);
    delta->at[2] &= ~pads;
    gap->at[0] |= pads;
    gap->at[1] |= pads;
}

/* Exchange bits and words: bit p of word b is bit b of word p before. */
CUDA_BOTH inline void sscan_transpose(unsigned x[SSCAN_PAIRS])
{
    CUDA_UNROLL
    for (int j = 16; j > 0; j /= 2) {
        const unsigned mask = 0xffffffffu / ((1u << j) + 1);

        CUDA_UNROLL
        for (int k = 0; k < SSCAN_PAIRS; k++)
            if ((k & j) == 0) {
                const unsigned t = ((x[k] >> j) ^ x[k | j]) & mask;

                x[k] ^= t << j;
                x[k | j] ^= t;
            }
    }
}

/* Sums of up to SSCAN_SUM_MAX, of 32 pairs. */
constexpr int SSCAN_SUM_BITS = 20;
struct sscan_sum_t {
    unsigned at[SSCAN_SUM_BITS];
};

/* Add a number as it is stored. */
CUDA_BOTH inline void sscan_add(sscan_sum_t *sum, const sscan_delta_t &delta)
{
    unsigned carry = 0;

    CUDA_UNROLL
    for (int k = 0; k < SSCAN_SUM_BITS; k++) {
        const unsigned add = k < 3 ? delta.at[k < 3 ? k : 0] : 0;
        const unsigned both =
            cuda_lop<(LOP_A & LOP_B) | (LOP_C & (LOP_A | LOP_B))>(sum->at[k], add, carry);

        sum->at[k] = cuda_lop<LOP_A ^ LOP_B ^ LOP_C>(sum->at[k], add, carry);
        carry = both;
    }
}

} // namespace
