/*
 * tiled_cell.cuh - the kinds of cells of tiled-dscan (tiled_layout.cuh), as types with
 * the same members: where steps come from, the maximum, borders, and the words of a line.
 *
 * A lane holds TILED_ROWS rows.  A table in shared memory has their steps for every base
 * of a column, ambiguity codes included, so that one load gives all of them.  For SCORE2
 * the steps are bytes; and if the columns are all A, C, G or T (BASES_ONLY), one register
 * per row holds the four steps instead, and the base of the column is a selector.
 */
#pragma once

#include "kernels/align/tiled/tiled_lane.cuh"
#include "kernels/align/tiled/tiled_launch.cuh"

namespace
{

enum { TILED_NO_ROW = -1 /* a pad */ };

__device__ inline int step_of(const tiled_launch_t &p, int row, int letter)
{
    return row == TILED_NO_ROW || letter == TILED_PAD ? static_cast<int>(TILED_STEP_NONE)
                                                      : p.steps[row * DNA_SIZE + letter];
}

/* SCORE2: the sweeps from the front and from the back, in 16 bits each.  No carry crosses
 * from one to the other. */
template <bool BASES_ONLY> struct pair_cell_t {
    using word = unsigned;
    using ring_t = uint2; /* column codes of a block: selectors, or one byte per side */
    static constexpr int UNROLL = 8; /* steps of a chunk */
    static constexpr unsigned CODE_PAD = BASES_ONLY ? 0x8888 : TILED_PAD | TILED_PAD << 8;
    static constexpr int SIDES = 2; /* sweeps in a word */
    static constexpr int WORDS = 1; /* per column of a line */

    struct table_t {
        unsigned at[2][BASES_ONLY ? 1 : TILED_LETTERS][TILED_WARP];
    };
    struct rows_t {
        unsigned at[2][BASES_ONLY ? TILED_ROWS : 1];
    };
    struct column_t {
        unsigned at[2]; /* BASES_ONLY: at[0] is the selector */
    };
    struct origin_t {
        unsigned at[2];
    };

    __device__ static unsigned byte_of(const tiled_launch_t &p, int row, int letter)
    {
        return static_cast<unsigned>(max(step_of(p, row, letter), 0));
    }

    /* @param row_bases  the bases of this lane's rows, of both sides */
    __device__ static void set_rows(const tiled_launch_t &p, table_t *table, int lane,
                                    const int (*row_bases)[TILED_ROWS], rows_t *rows)
    {
#pragma unroll
        for (int side = 0; side < 2; side++)
            if constexpr (BASES_ONLY)
                set_bases(p, row_bases[side], rows->at[side]);
            else
                set_table(p, row_bases[side], lane, table->at[side]);
    }

    __device__ static void set_bases(const tiled_launch_t &p, const int *row_bases,
                                     unsigned *out)
    {
#pragma unroll
        for (int r = 0; r < TILED_ROWS; r++) {
            out[r] = 0;
            for (int k = 0; k < 4; k++)
                out[r] |= byte_of(p, row_bases[r], 1 << k) << (8 * k);
        }
    }

    __device__ static void set_table(const tiled_launch_t &p, const int *row_bases,
                                     int lane, unsigned (*out)[TILED_WARP])
    {
        for (int letter = 0; letter < TILED_LETTERS; letter++) {
            unsigned of_rows = 0;

#pragma unroll
            for (int r = 0; r < TILED_ROWS; r++)
                of_rows |= byte_of(p, row_bases[r], letter) << (8 * r);
            out[letter][lane] = of_rows;
        }
    }

    __device__ static void set_code(ring_t *ring, int column, unsigned code)
    {
        reinterpret_cast<unsigned short *>(ring)[column] =
            static_cast<unsigned short>(code);
    }

    __device__ static void load(const table_t *table, ring_t ring, int lane,
                                column_t *out)
    {
#pragma unroll
        for (int j = 0; j < TILED_COLUMNS; j++)
            if (BASES_ONLY) {
                out[j].at[0] = (j < 2 ? ring.x : ring.y) >> (j % 2 * 16);
            } else {
                const unsigned two = j < 2 ? ring.x : ring.y, byte = 0x4440 + j % 2 * 2;

                out[j].at[0] = table->at[0][cuda_permute(two, 0, byte)][lane];
                out[j].at[1] = table->at[1][cuda_permute(two, 0, byte + 1)][lane];
            }
    }

    __device__ static word diagonal(const tiled_launch_t &p, const rows_t &rows,
                                    const column_t &column, int r, word from)
    {
        const unsigned select = 0xc480u + 0x1111u * static_cast<unsigned>(r);
        const int at = BASES_ONLY ? r : 0;

        return cuda_mad(BASES_ONLY
                            ? cuda_permute(rows.at[0][at], rows.at[1][at], column.at[0])
                            : cuda_permute(column.at[0], column.at[1], select),
                        p.mad_one, from);
    }

    __device__ static word best(word diagonal, word left, word above)
    {
        return lane_best2(diagonal, left, above);
    }

    __device__ static unsigned is_match(const column_t &, int)
    {
        return 0;
    }

    __device__ static word merge(word shuffled, word top, unsigned keep)
    {
        return cuda_mad(shuffled, keep, top);
    }

    /* @return the origin below the border cells behind k bases, of either side */
    __device__ static origin_t origin_of(const tiled_launch_t &p, const int *k)
    {
        origin_t origin;

#pragma unroll
        for (int side = 0; side < 2; side++)
            origin.at[side] = static_cast<unsigned>(tiled_border(p.layout, k[side])) -
                              static_cast<unsigned>(p.layout.margin);
        return origin;
    }

    /* A line has the low 16 bits of both sides' cells without origin, and the tag. */
    __device__ static word from_line(const tiled_launch_t &,
                                     const unsigned long long *from,
                                     const origin_t &origin)
    {
        const unsigned cell = static_cast<unsigned>(from[0]);
        const unsigned b = cuda_permute(origin.at[0], origin.at[1], 0x5410);

        return cuda_permute(cell - b, (cell & 0xffff0000) - (b & 0xffff0000), 0x7610);
    }

    /* @param tag  of the strip; cells of the last strip have 32 bits per side instead */
    __device__ static void to_line(const tiled_launch_t &, word cell,
                                   const origin_t &origin, unsigned tag, bool is_last,
                                   unsigned long long *out)
    {
        const unsigned front = origin.at[0] + (cell & 0xffff);
        const unsigned back = origin.at[1] + (cell >> 16);
        const unsigned low = is_last ? front : cuda_permute(front, back, 0x5410);
        const unsigned high = is_last ? back : tag;

        out[0] = static_cast<unsigned long long>(high) << 32 | low;
    }

    /* @return the border cell behind k bases, of either side */
    __device__ static word border(const tiled_launch_t &p, const int *k,
                                  const origin_t &origin)
    {
        return (static_cast<unsigned>(tiled_border(p.layout, k[0])) - origin.at[0]) |
               (static_cast<unsigned>(tiled_border(p.layout, k[1])) - origin.at[1]) << 16;
    }

    /* @return by how much the origin has to rise to be `margin` below a cell */
    __device__ static word rise(const tiled_launch_t &p, word cell)
    {
        return cell - static_cast<unsigned>(p.layout.margin) * 0x10001u;
    }

    __device__ static void raise(const tiled_launch_t &, origin_t *origin, word by)
    {
        origin->at[0] += by & 0xffff;
        origin->at[1] += by >> 16;
    }

    /* @return the cell of a side without origin */
    __device__ static unsigned long long absolute(const tiled_launch_t &, word cell,
                                                  const origin_t &origin, int side)
    {
        return origin.at[side] + (side == 0 ? cell & 0xffff : cell >> 16);
    }
};

template <int KIND> struct key_word_t {
    using type = unsigned long long;
};

template <> struct key_word_t<TILED_KEY> {
    using type = unsigned;
};

/* KEY and both KEY64: one sweep per word. */
template <int KIND> struct key_cell_t {
    using word = typename key_word_t<KIND>::type;
    using ring_t = uint4; /* column codes of a block: offsets into the table */
    static constexpr int UNROLL = KIND == TILED_KEY ? 8 : 2;
    static constexpr unsigned CODE_PAD = TILED_PAD;
    static constexpr int SIDES = 1;
    static constexpr int WORDS = sizeof(word) / sizeof(unsigned);

    struct table_t {
        int4 at[TILED_LETTERS][TILED_WARP];
    };
    struct rows_t {
        char none;
    };
    struct column_t {
        int4 steps;
    };
    struct origin_t {
        long long h;
    };

    static_assert(TILED_ROWS == 4, "int4 holds a lane's rows");

    __device__ static void set_rows(const tiled_launch_t &p, table_t *table, int lane,
                                    const int (*row_bases)[TILED_ROWS], rows_t *)
    {
        for (int letter = 0; letter < TILED_LETTERS; letter++)
            table->at[letter][lane] = make_int4(step_of(p, row_bases[0][0], letter),
                                                step_of(p, row_bases[0][1], letter),
                                                step_of(p, row_bases[0][2], letter),
                                                step_of(p, row_bases[0][3], letter));
    }

    __device__ static void set_code(ring_t *ring, int column, unsigned code)
    {
        reinterpret_cast<unsigned *>(ring)[column] = code * TILED_WARP;
    }

    __device__ static void load(const table_t *table, ring_t ring, int lane,
                                column_t *out)
    {
        const int4 *at = &table->at[0][lane];

        out[0].steps = at[ring.x];
        out[1].steps = at[ring.y];
        out[2].steps = at[ring.z];
        out[3].steps = at[ring.w];
    }

    __device__ static int step_at(const column_t &column, int r)
    {
        return r == 0   ? column.steps.x
               : r == 1 ? column.steps.y
               : r == 2 ? column.steps.z
                        : column.steps.w;
    }

    __device__ static word diagonal(const tiled_launch_t &p, const rows_t &,
                                    const column_t &column, int r, word from)
    {
        const int step = step_at(column, r);

        if constexpr (KIND == TILED_KEY)
            return cuda_mad(static_cast<unsigned>(step), p.mad_one, from);
        else
            return lane_mad_wide(step, 1 << p.layout.tie_bits,
                                 KIND == TILED_KEY64_STEPS ? from + 1 : from);
    }

    __device__ static word best(word diagonal, word left, word above)
    {
        return lane_best(diagonal, left, above);
    }

    __device__ static unsigned is_match(const column_t &column, int r)
    {
        return static_cast<unsigned>(step_at(column, r)) & 1;
    }

    __device__ static word merge(word shuffled, word top, unsigned keep)
    {
        if constexpr (KIND == TILED_KEY)
            return cuda_mad(shuffled, keep, top);
        else
            return keep != 0 ? shuffled : top;
    }

    __device__ static word shifted(const tiled_launch_t &p, long long h)
    {
        return static_cast<word>(h) << p.layout.h_shift;
    }

    __device__ static origin_t origin_of(const tiled_launch_t &p, const int *k)
    {
        const long long border = static_cast<long long>(tiled_border(p.layout, k[0]));

        return {(border >> p.layout.h_shift) - p.layout.margin};
    }

    __device__ static word from_line(const tiled_launch_t &p,
                                     const unsigned long long *from,
                                     const origin_t &origin)
    {
        word cell = static_cast<unsigned>(from[0]);

        if constexpr (WORDS == 2)
            cell |= from[1] << 32;
        return cell - shifted(p, origin.h);
    }

    __device__ static void to_line(const tiled_launch_t &p, word cell,
                                   const origin_t &origin, unsigned tag, bool is_last,
                                   unsigned long long *out)
    {
        const unsigned long long all = absolute(p, cell, origin, 0);
        const unsigned low = static_cast<unsigned>(all);
        const unsigned high = static_cast<unsigned>(all >> 32);

        out[0] = static_cast<unsigned long long>(is_last ? high : tag) << 32 | low;
        if constexpr (WORDS == 2)
            out[1] = static_cast<unsigned long long>(tag) << 32 | high;
    }

    __device__ static word border(const tiled_launch_t &p, const int *k,
                                  const origin_t &origin)
    {
        return static_cast<word>(tiled_border(p.layout, k[0])) - shifted(p, origin.h);
    }

    __device__ static word rise(const tiled_launch_t &p, word cell)
    {
        return shifted(p, static_cast<long long>(cell >> p.layout.h_shift) -
                              p.layout.margin);
    }

    __device__ static void raise(const tiled_launch_t &p, origin_t *origin, word by)
    {
        origin->h += static_cast<long long>(by >> p.layout.h_shift);
    }

    __device__ static unsigned long long absolute(const tiled_launch_t &p, word cell,
                                                  const origin_t &origin, int)
    {
        return cell + (static_cast<unsigned long long>(origin.h) << p.layout.h_shift);
    }
};

} // namespace
