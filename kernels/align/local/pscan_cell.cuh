/*
 * pscan_cell.cuh - the scores of a block's rows, and the cells of one column that a lane
 * holds (pscan_layout.cuh).
 *
 * Everything here also runs on the CPU, where test_pscan_cell sweeps words as warps do.
 */
#pragma once

#include "kernels/align/local/pscan_layout.cuh"

namespace
{

/* The two queries, or one, of a block's pairs. */
struct pscan_rows_t {
    const unsigned char *letters[2]; /* of the queries; equal: one */
    int len[2];
    int n; /* with the pads in front, of all passes */
};

/* @return the letter of row i, or 0, a pad */
CUDA_BOTH inline int pscan_letter(const pscan_rows_t &rows, int which, int i)
{
    const int at = i - (rows.n - rows.len[which]);

    return at >= 0 ? rows.letters[which][at] : 0;
}

/* Write the scores of four rows of a lane, from row i on, by a letter.
 * @param scores  [LSCAN_TABLE]
 * @param out     of PAIR one word, else one per row */
template <int KIND>
CUDA_BOTH inline void pscan_write_quad(const signed char *scores,
                                       const pscan_rows_t &rows, int i, int letter,
                                       unsigned *out)
{
    unsigned word = 0;

    CUDA_UNROLL
    for (int r = 0; r < PSCAN_QUAD; r++) {
        const int a = scores[pscan_letter(rows, 0, i + r) * ALPHABET_SIZE + letter];

        if constexpr (KIND == PSCAN_TWIN) {
            const int b = scores[pscan_letter(rows, 1, i + r) * ALPHABET_SIZE + letter];

            out[r] = (static_cast<unsigned>(a) & 0xffff) | static_cast<unsigned>(b) << 16;
        } else if constexpr (KIND == PSCAN_WIDE) {
            out[r] = static_cast<unsigned>(a);
        } else {
            word |= (static_cast<unsigned>(a) & 0xff) << (8 * r);
        }
    }
    if constexpr (KIND == PSCAN_PAIR)
        *out = word;
}

/* Words of a table for four rows of all lanes of a warp. */
template <int KIND>
constexpr int PSCAN_QUAD_WORDS = PSCAN_WARP *(KIND == PSCAN_PAIR ? 1 : PSCAN_QUAD);

/* @return words of a table from one class to the next */
template <int KIND> CUDA_BOTH constexpr int pscan_class_words(int rows)
{
    return rows / PSCAN_QUAD * PSCAN_QUAD_WORDS<KIND>;
}

/* Fill a block's table for a pass: [classes][rows / PSCAN_QUAD][lanes], four words or
 * one.
 * @param first, stride  the entries that the caller fills */
template <int KIND>
CUDA_BOTH inline void pscan_fill_table(const signed char *scores,
                                       const pscan_classes_t &classes,
                                       const pscan_rows_t &rows,
                                       const pscan_shape_t &shape, int pass,
                                       unsigned *table, int first, int stride)
{
    constexpr int WORDS = PSCAN_QUAD_WORDS<KIND> / PSCAN_WARP;
    const int quads = shape.rows / PSCAN_QUAD;
    const int n = classes.n * quads * PSCAN_WARP;

    for (int k = first; k < n; k += stride) {
        const int lane = k % PSCAN_WARP, quad = k / PSCAN_WARP % quads;
        const int row =
            (pass * shape.lanes + lane % shape.lanes) * shape.rows + quad * PSCAN_QUAD;

        pscan_write_quad<KIND>(scores, rows, row, classes.first[k / (PSCAN_WARP * quads)],
                               table + k * WORDS);
    }
}

/* What a lane holds in registers while it sweeps. */
template <int ROWS> struct pscan_lane_t {
    unsigned h[ROWS]; /* of the column before */
    unsigned e[ROWS]; /* of the next column */
    unsigned diagonal, best;
    pscan_line_t out; /* of the last row */
};

template <int ROWS>
CUDA_BOTH inline void pscan_start(const pscan_launch_t &p, pscan_lane_t<ROWS> &s)
{
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        s.h[r] = 0;
        s.e[r] = p.open;
    }
    s.diagonal = 0;
    s.out = pscan_line_t{0, p.open};
}

template <int KIND> CUDA_BOTH inline unsigned pscan_add(unsigned a, unsigned b)
{
    return KIND == PSCAN_WIDE ? a + b : cuda_add2(a, b);
}

/* @return max(a + b, c) */
template <int KIND>
CUDA_BOTH inline unsigned pscan_add_max(unsigned a, unsigned b, unsigned c)
{
    if constexpr (KIND == PSCAN_WIDE)
        return static_cast<unsigned>(__viaddmax_s32(static_cast<int>(a),
                                                    static_cast<int>(b),
                                                    static_cast<int>(c)));
    else
        return __viaddmax_s16x2(a, b, c);
}

/* @return max(a, b, c) */
template <int KIND>
CUDA_BOTH inline unsigned pscan_max3(unsigned a, unsigned b, unsigned c)
{
    if constexpr (KIND == PSCAN_WIDE)
        return static_cast<unsigned>(
            __vimax3_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
    else
        return __vimax3_s16x2(a, b, c);
}

/* @return max(a, b, c, 0) */
template <int KIND>
CUDA_BOTH inline unsigned pscan_max3_0(unsigned a, unsigned b, unsigned c)
{
    if constexpr (KIND == PSCAN_WIDE)
        return static_cast<unsigned>(__vimax3_s32_relu(static_cast<int>(a),
                                                       static_cast<int>(b),
                                                       static_cast<int>(c)));
    else
        return __vimax3_s16x2_relu(a, b, c);
}

/* The scores of four rows in a column. */
struct alignas(16) pscan_quad_t {
    unsigned at[PSCAN_QUAD];
};

/* Compute the cells of one column that a lane holds.
 * @param up    the values above the first row
 * @param a, b  the column's part of the table, that of this lane; b: PAIR's second one */
template <int KIND, int ROWS>
CUDA_BOTH inline void pscan_step(const pscan_launch_t &p, pscan_lane_t<ROWS> &s,
                                 const pscan_line_t &up, const unsigned *a,
                                 const unsigned *b)
{
    constexpr int STRIDE = PSCAN_QUAD_WORDS<KIND>;
    unsigned before = s.diagonal, f = up.f, diagonal_above = 0;

    s.diagonal = up.h;
    CUDA_UNROLL
    for (int q = 0; q < ROWS / PSCAN_QUAD; q++) {
        pscan_quad_t scores;

        if constexpr (KIND == PSCAN_PAIR) {
            const unsigned x = a[q * STRIDE], y = b[q * STRIDE];

            CUDA_UNROLL
            for (int r = 0; r < PSCAN_QUAD; r++)
                scores.at[r] =
                    cuda_permute(x, y, 0xc480u + 0x1111u * static_cast<unsigned>(r));
        } else {
            scores = *reinterpret_cast<const pscan_quad_t *>(a + q * STRIDE);
        }
        CUDA_UNROLL
        for (int i = 0; i < PSCAN_QUAD; i++) {
            const int r = q * PSCAN_QUAD + i;
            /* a best alignment ends with a column: there H is this */
            const unsigned diagonal = pscan_add<KIND>(before, scores.at[i]);

            before = s.h[r];
            s.h[r] = pscan_max3_0<KIND>(diagonal, s.e[r], f);
            const unsigned open = pscan_add<KIND>(s.h[r], p.open);

            f = pscan_add_max<KIND>(f, p.extend, open);
            s.e[r] = pscan_add_max<KIND>(s.e[r], p.extend, open);
            if (r % 2 == 1)
                s.best = pscan_max3<KIND>(s.best, diagonal_above, diagonal);
            diagonal_above = diagonal;
        }
    }
    s.out = pscan_line_t{s.h[ROWS - 1], f};
}

} // namespace
