/*
 * lscan_cell.cuh - the cells of one column that a thread holds (lscan_layout.cuh), and
 * how their scores are looked up.
 *
 * Everything here also runs on the CPU, where test_lscan_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/cuda/cuda_common.cuh"
#include "kernels/align/local/lscan_layout.cuh"

namespace
{

constexpr int LSCAN_QUAD = 4; /* letters that are read at once */

/* Pairs of a word. */
template <int KIND> constexpr int LSCAN_PAIRS = KIND == LSCAN_KEYS ? 1 : 2;

/* Whether the words of a row are scores of both pairs, one of which a column selects. */
template <int KIND>
constexpr bool LSCAN_SELECTS = KIND == LSCAN_COMMON_BASES || KIND == LSCAN_TWIN_PROFILE;

/* Words of the table that a block keeps in shared memory. */
template <int KIND> struct lscan_table_t {
};
template <> struct lscan_table_t<LSCAN_BASES> {
    unsigned at[DNA_SIZE]; /* scores of the four bases, by the column's byte */
};
template <> struct lscan_table_t<LSCAN_KEYS> {
    lscan_key_t at[LSCAN_TABLE];
};

/* @param first, stride  the entries that the caller fills */
template <int KIND>
CUDA_BOTH void lscan_fill_table(const lscan_launch_t &p, lscan_table_t<KIND> *table,
                                int first, int stride)
{
    if constexpr (KIND == LSCAN_BASES)
        for (int letter = first; letter < DNA_SIZE; letter += stride) {
            unsigned word = 0;

            for (int base = 0; base < 4; base++)
                word |= static_cast<unsigned>(static_cast<unsigned char>(
                            p.scores[(1 << base) * ALPHABET_SIZE + letter]))
                        << (8 * base);
            table->at[letter] = word;
        }
    if constexpr (KIND == LSCAN_KEYS)
        for (int k = first; k < LSCAN_TABLE; k += stride)
            table->at[k] = static_cast<lscan_key_t>(p.keys[k]);
}

/* The scores of the rows that a thread holds. */
template <int KIND, int ROWS> struct lscan_rows_t {
    unsigned at[ROWS]; /* BASES: selectors of bytes; KEYS: offsets in the table */
};
template <int ROWS> struct lscan_rows_t<LSCAN_PROFILE, ROWS> {
    unsigned *profile; /* [n_letters][ROWS / 4][2], `stride` apart: of four rows */
    int stride;
};

template <int ROWS> struct lscan_rows_t<LSCAN_COMMON_BASES, ROWS> : common_rows_t {
};
/* steps: [ROWS / LSCAN_QUAD][COMMON_ENTRIES], of four rows by the column's letter */
template <int ROWS> struct lscan_rows_t<LSCAN_COMMON_PROFILE, ROWS> : common_rows_t {
};
template <int ROWS> struct lscan_rows_t<LSCAN_TWIN_PROFILE, ROWS> : common_rows_t {
};

/* The scores of a column. */
template <int KIND, int ROWS> struct lscan_column_t {
    unsigned a, b;
};
template <int ROWS> struct lscan_profile_column_t {
    unsigned a[ROWS / LSCAN_QUAD], b[ROWS / LSCAN_QUAD];
};
template <int ROWS>
struct lscan_column_t<LSCAN_PROFILE, ROWS> : lscan_profile_column_t<ROWS> {
};
template <int ROWS>
struct lscan_column_t<LSCAN_COMMON_PROFILE, ROWS> : lscan_profile_column_t<ROWS> {
};
struct lscan_selected_column_t {
    unsigned offset;
};
template <int ROWS>
struct lscan_column_t<LSCAN_COMMON_BASES, ROWS> : lscan_selected_column_t {
};
template <int ROWS>
struct lscan_column_t<LSCAN_TWIN_PROFILE, ROWS> : lscan_selected_column_t {
};
template <int ROWS> struct lscan_column_t<LSCAN_KEYS, ROWS> {
    const lscan_key_t *at;
};

/* @param x, y  the bytes of the column in both pairs; LSCAN_SELECTS: x is the offset of
 * its entry */
template <int KIND, int ROWS>
CUDA_BOTH inline lscan_column_t<KIND, ROWS> lscan_column(
    const lscan_table_t<KIND> &table, const lscan_rows_t<KIND, ROWS> &rows, unsigned x,
    unsigned y)
{
    lscan_column_t<KIND, ROWS> out;

    if constexpr (KIND == LSCAN_BASES) {
        out.a = table.at[x];
        out.b = table.at[y];
    } else if constexpr (KIND == LSCAN_PROFILE) {
        constexpr int QUADS = ROWS / LSCAN_QUAD;
        const unsigned *a = rows.profile + x * (2 * QUADS * rows.stride);
        const unsigned *b = rows.profile + (y * (2 * QUADS) + 1) * rows.stride;

        CUDA_UNROLL
        for (int q = 0; q < QUADS; q++) {
            out.a[q] = a[2 * q * rows.stride];
            out.b[q] = b[2 * q * rows.stride];
        }
    } else if constexpr (KIND == LSCAN_COMMON_PROFILE) {
        CUDA_UNROLL
        for (int q = 0; q < ROWS / LSCAN_QUAD; q++) {
            out.a[q] = rows.steps[q * COMMON_ENTRIES + x];
            out.b[q] = rows.steps[q * COMMON_ENTRIES + y];
        }
    } else if constexpr (LSCAN_SELECTS<KIND>) {
        out.offset = x;
    } else {
        out.at = table.at + x;
    }
    return out;
}

/* @return the scores of row r in both pairs, 16 bits each */
template <int KIND, int ROWS>
CUDA_BOTH inline unsigned lscan_scores(const lscan_rows_t<KIND, ROWS> &rows,
                                       const lscan_column_t<KIND, ROWS> &column, int r)
{
    if constexpr (KIND == LSCAN_BASES) {
        return cuda_permute(column.a, column.b, rows.at[r]);
    } else if constexpr (LSCAN_SELECTS<KIND>) {
        return common_step(rows, column.offset, r);
    } else {
        const unsigned k = static_cast<unsigned>(r % LSCAN_QUAD);

        return cuda_permute(column.a[r / LSCAN_QUAD], column.b[r / LSCAN_QUAD],
                            0xc480u + 0x1111u * k);
    }
}

/* What a thread passes on from a row to the row below. */
template <typename WORD> struct alignas(2 * sizeof(WORD)) lscan_line_t {
    WORD h, f;
};

template <int KIND> struct lscan_word_t {
    using type = unsigned;
};
template <> struct lscan_word_t<LSCAN_KEYS> {
    using type = lscan_key_t;
};
template <int KIND> using lscan_word = typename lscan_word_t<KIND>::type;

/* What a thread holds in registers while it sweeps. */
template <int KIND, int ROWS> struct lscan_thread_t {
    lscan_word<KIND> h[ROWS]; /* of the column before */
    lscan_word<KIND> e[ROWS]; /* of the next column */
    lscan_word<KIND> diagonal, best;
    lscan_rows_t<KIND, ROWS> rows;
    int end_i, end_j; /* KEYS: the last best cell, in the padded matrix */
};

/*
 * Compute the cells of one column that a thread holds.
 *
 * @param up  the values above the first row; out: those of the last row
 */
template <int KIND, int ROWS>
CUDA_BOTH inline void lscan_step(const lscan_launch_t &p, lscan_thread_t<KIND, ROWS> &s,
                                 lscan_line_t<unsigned> &up,
                                 const lscan_column_t<KIND, ROWS> &column)
{
    unsigned before = s.diagonal, f = up.f, diagonal_above = 0;

    s.diagonal = up.h;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        /* a best alignment ends with a column: there H is this */
        const unsigned diagonal =
            cuda_add2(before, lscan_scores<KIND, ROWS>(s.rows, column, r));

        before = s.h[r];
        s.h[r] = __vimax3_s16x2_relu(diagonal, s.e[r], f);
        const unsigned open = cuda_add2(s.h[r], p.words.open);

        f = __viaddmax_s16x2(f, p.words.extend, open);
        s.e[r] = __viaddmax_s16x2(s.e[r], p.words.extend, open);
        if (r % 2 == 1)
            s.best = __vimax3_s16x2(s.best, diagonal_above, diagonal);
        diagonal_above = diagonal;
    }
    up = lscan_line_t<unsigned>{s.h[ROWS - 1], f};
}

CUDA_BOTH inline lscan_key_t lscan_max(lscan_key_t a, lscan_key_t b)
{
    return a > b ? a : b;
}

/* The same of keys. @return the greatest H of the column */
template <int ROWS>
CUDA_BOTH inline lscan_key_t lscan_step_keys(
    const lscan_launch_t &p, lscan_thread_t<LSCAN_KEYS, ROWS> &s,
    lscan_line_t<lscan_key_t> &up, const lscan_column_t<LSCAN_KEYS, ROWS> &column)
{
    const lscan_key_t open = static_cast<lscan_key_t>(p.key_open);
    const lscan_key_t extend = static_cast<lscan_key_t>(p.key_extend);
    lscan_key_t before = s.diagonal, f = up.f, best = 0;

    s.diagonal = up.h;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const lscan_key_t x = lscan_max(before + column.at[s.rows.at[r]], s.e[r]);
        const lscan_key_t h = lscan_max(lscan_max(x, f), 0);

        before = s.h[r];
        s.h[r] = h;
        f = lscan_max(f + extend, x + open);
        s.e[r] = lscan_max(s.e[r] + extend, h + open);
        best = lscan_max(best, h);
    }
    up = lscan_line_t<lscan_key_t>{s.h[ROWS - 1], f};
    return best;
}

} // namespace
