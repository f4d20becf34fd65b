/*
 * wavefront_packed.cuh - scores of a strip in halves of 16 bits, of rows that are single
 * bases.
 *
 * A lane holds two parts of WAVEFRONT_PACKED_ROWS rows, one below the other: the low
 * halves of its words are those of the upper part in a column, the high ones those of the
 * lower part in the column before.  So a strip is swept as by 64 lanes; what the lower
 * part needs from the upper one is in the same word.  Cells are those of
 * wavefront_cell.cuh.
 *
 * Bases.  A part counts scores from a base of its own, chosen anew every WAVEFRONT_CHUNK
 * steps:
 *
 *     base = max(0, min H of its rows in the last column - open - CHUNK extend)
 *
 * No H of the next CHUNK columns is less, since a gap may follow each of these rows.  So
 * keeping cells from falling below 0, as local alignments do, is right for any base: a t
 * (H without its F) that is raised to the base changes neither H nor the next f, which
 * are not below it.
 *
 * Range.  Let d = max column + open.  H differs by at most d from that of the cell to the
 * left or above.  So H of a part is at most (2 CHUNK + ROWS + 1) d above its base, and
 * the bases of neighbours differ by at most 2 ROWS d.  With d up to
 * WAVEFRONT_PACKED_LIMIT the sum of both has 15 bits.
 *
 * Everything here also runs on the CPU.
 */
#pragma once

#include "kernels/align/wavefront/wavefront_layout.cuh"

namespace
{

enum { WAVEFRONT_PACKED_ROWS = WAVEFRONT_ROWS / 2, WAVEFRONT_PARTS = 2 };

/* Columns of a lane behind the one before, and steps from a column of the first lane
 * until the last lane has it in `below`. */
enum { WAVEFRONT_PACKED_SKEW = 3 };
enum { WAVEFRONT_PACKED_LAG = WAVEFRONT_PACKED_SKEW * WAVEFRONT_LANES };

/* Costs, those of both halves; `fall` is what H may lose until bases are chosen anew. */
struct wavefront_packed_steps_t {
    unsigned open, extend;
    int fall;
};

struct wavefront_packed_t {
    unsigned h[WAVEFRONT_PACKED_ROWS], e[WAVEFRONT_PACKED_ROWS]; /* of the last column */
    unsigned above, f;                    /* as in wavefront_lane_t */
    unsigned rows[WAVEFRONT_PACKED_ROWS]; /* selectors of the steps in two columns */
    unsigned below; /* H of the lower part's last row, and f of the row behind it, before
                     * the last step: what the next lane takes */
    unsigned best;  /* greatest H since bases were chosen */
    unsigned between; /* base of the part above each, less its own */
    int base[WAVEFRONT_PARTS];
};

CUDA_BOTH inline unsigned wavefront_packed_pair(int low, int high)
{
    return (static_cast<unsigned>(low) & 0xffff) | static_cast<unsigned>(high) << 16;
}

CUDA_BOTH inline int wavefront_packed_low(unsigned pair)
{
    return static_cast<short>(pair & 0xffff);
}

CUDA_BOTH inline int wavefront_packed_high(unsigned pair)
{
    return static_cast<int>(pair) >> 16;
}

CUDA_BOTH inline wavefront_packed_steps_t wavefront_packed_steps(int open, int extend)
{
    return {wavefront_packed_pair(open, open), wavefront_packed_pair(extend, extend),
            -open - WAVEFRONT_CHUNK * extend};
}

/* @return the selectors of a row's step: a byte of `word`, and its sign.  Letter 0 is no
 *         row: twice the sign, 0 or -1, makes no cell better than those that exist. */
CUDA_BOTH inline unsigned wavefront_packed_row(unsigned letter, unsigned word)
{
    constexpr unsigned SIGN = 8, WORD_SIZE = 4;
    const unsigned byte = (letter >> 1) - (letter >> 3) + WORD_SIZE * word;

    return (letter == 0 ? byte | SIGN : byte) | (byte | SIGN) << 4;
}

/* @return those of a row of each part: the lower one is in the column before */
CUDA_BOTH inline unsigned wavefront_packed_rows(unsigned upper, unsigned lower)
{
    return wavefront_packed_row(upper, 0) | wavefront_packed_row(lower, 1) << 8;
}

/*
 * Compute the next step of a lane: a column of the upper part, and the one before of the
 * lower part.
 *
 * @param word, before  scores of the four bases with the letters of these columns
 * @param in            `below` of the lane in front, before this step
 */
CUDA_BOTH inline void wavefront_packed_step(const wavefront_packed_steps_t &steps,
                                            unsigned word, unsigned before, unsigned in,
                                            wavefront_packed_t *s)
{
    const unsigned last = s->h[WAVEFRONT_PACKED_ROWS - 1];
    const unsigned h_above = cuda_add2(cuda_permute(in, last, 0x5410), s->between);
    unsigned f = cuda_add2(cuda_permute(in, s->f, 0x5432), s->between);
    unsigned diagonal = s->above, upper = s->best;

    s->below = cuda_permute(last, s->f, 0x7632);
    s->above = h_above;
    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_PACKED_ROWS; r++) {
        const unsigned left = s->h[r];
        const unsigned whole =
            cuda_add2(diagonal, cuda_permute(word, before, s->rows[r]));
        const unsigned e = __viaddmax_s16x2(s->e[r], steps.extend, left);
        const unsigned t = __viaddmax_s16x2_relu(e, steps.open, whole);
        const unsigned h = __viaddmax_s16x2(f, steps.open, t);

        f = __viaddmax_s16x2(f, steps.extend, t);
        if (r % 2 == 1)
            s->best = __vimax3_s16x2(s->best, upper, h);
        upper = h;
        diagonal = left;
        s->h[r] = h;
        s->e[r] = e;
    }
    s->f = f;
}

/* @return the greatest H since the bases were chosen, or less than 1 */
CUDA_BOTH inline int wavefront_packed_best(const wavefront_packed_t &s)
{
    const int low = s.base[0] + wavefront_packed_low(s.best);
    const int high = s.base[1] + wavefront_packed_high(s.best);

    return low > high ? low : high;
}

/* Choose the bases of a lane. */
CUDA_BOTH inline void wavefront_packed_rebase(const wavefront_packed_steps_t &steps,
                                              wavefront_packed_t *s)
{
    unsigned least = s->h[0];
    int rise[WAVEFRONT_PARTS];

    CUDA_UNROLL
    for (int r = 1; r < WAVEFRONT_PACKED_ROWS; r++)
        least = __vimin3_s16x2(least, s->h[r], s->h[r]);
    rise[0] = wavefront_packed_low(least) - steps.fall;
    rise[1] = wavefront_packed_high(least) - steps.fall;
    CUDA_UNROLL
    for (int part = 0; part < WAVEFRONT_PARTS; part++) {
        if (rise[part] < -s->base[part])
            rise[part] = -s->base[part];
        s->base[part] += rise[part];
    }
    const unsigned shift = wavefront_packed_pair(-rise[0], -rise[1]);

    CUDA_UNROLL
    for (int r = 0; r < WAVEFRONT_PACKED_ROWS; r++) {
        s->h[r] = cuda_add2(s->h[r], shift);
        s->e[r] = cuda_add2(s->e[r], shift);
    }
    s->above = cuda_add2(s->above, shift);
    s->f = cuda_add2(s->f, shift);
    s->below = cuda_add2(s->below, wavefront_packed_pair(-rise[1], -rise[1]));
    s->best = 0;
}

/* Note the base that the values of the part above are counted from.
 * @param above  that of the lower part of the lane in front; of lane 0: its own base[0]
 */
CUDA_BOTH inline void wavefront_packed_meet(int above, wavefront_packed_t *s)
{
    s->between = wavefront_packed_pair(above - s->base[0], s->base[0] - s->base[1]);
}

/* @return H and f of the line above a strip, counted from another base
 * @param pair  as `below`. @param from, to  bases */
CUDA_BOTH inline unsigned wavefront_packed_move(unsigned pair, int from, int to)
{
    constexpr int LOWEST = -(1 << 13); /* of columns that do not exist */
    const int by = from - to < LOWEST ? LOWEST : from - to;

    return cuda_add2(pair, wavefront_packed_pair(by, by));
}

} // namespace
