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

#include <climits>

namespace
{

/* Pairs of a word. */
template <int KIND> constexpr int LSCAN_PAIRS = LSCAN_IS_KEY<KIND> ? 1 : 2;

/* Whether a row has a word of scores, or of steps, that a column selects. */
template <int KIND>
constexpr bool LSCAN_SELECTS =
    KIND == LSCAN_COMMON_BASES || KIND == LSCAN_TWIN_PROFILE ||
    KIND == LSCAN_COMMON_KEYS32 || KIND == LSCAN_COMMON_TRACED32;

template <int KIND> struct lscan_word_t {
    using type = std::conditional_t<LSCAN_IS_RELATIVE<KIND>, int, unsigned>;
};
template <> struct lscan_word_t<LSCAN_KEYS> {
    using type = lscan_key_t;
};
template <int KIND> using lscan_word = typename lscan_word_t<KIND>::type;

/* @return the steps of a kind's keys */
template <int KIND> CUDA_BOTH inline const auto &lscan_keys(const lscan_launch_t &p)
{
    if constexpr (LSCAN_IS_TRACED<KIND>)
        return p.keys_traced;
    else if constexpr (LSCAN_IS_RELATIVE<KIND>)
        return p.keys32;
    else
        return p.keys;
}

/* @return what a relative kind's keys count from */
template <int KIND>
CUDA_BOTH inline const lscan_bases_t &lscan_bases(const lscan_launch_t &p)
{
    return LSCAN_IS_TRACED<KIND> ? p.traced_bases : p.bases32;
}

/* Entries from a row of a kind's table to the next one: an odd number, so that lanes at
 * different rows read different banks. */
template <int KIND>
constexpr int LSCAN_STRIDE = LSCAN_IS_TRACED<KIND> ? ALPHABET_SIZE + 1 : ALPHABET_SIZE;

/* Words of the table that a block keeps in shared memory. */
template <int KIND> struct lscan_table_t {
};
template <> struct lscan_table_t<LSCAN_BASES> {
    unsigned at[DNA_SIZE]; /* scores of the four bases, by the column's byte */
};
template <> struct lscan_table_t<LSCAN_KEYS> {
    lscan_key_t at[LSCAN_TABLE];
};
template <> struct lscan_table_t<LSCAN_KEYS32> {
    int at[LSCAN_TABLE];
};
template <> struct lscan_table_t<LSCAN_TRACED32> {
    int at[ALPHABET_SIZE * LSCAN_STRIDE<LSCAN_TRACED32>];
};
/* of squares that are computed again: lanes are at different rows, so none are common */
template <> struct lscan_table_t<LSCAN_COMMON_TRACED32> : lscan_table_t<LSCAN_TRACED32> {
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
    if constexpr (LSCAN_IS_KEY<KIND> && KIND != LSCAN_COMMON_KEYS32)
        for (int k = first; k < LSCAN_TABLE; k += stride)
            table->at[k / ALPHABET_SIZE * LSCAN_STRIDE<KIND> + k % ALPHABET_SIZE] =
                static_cast<lscan_word<KIND>>(lscan_keys<KIND>(p).steps[k]);
}

/* The scores of the rows that a thread holds. */
template <int KIND, int ROWS> struct lscan_rows_t {
    unsigned at[ROWS]; /* BASES: selectors of bytes; keys: offsets in the table */
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
template <int ROWS> struct lscan_rows_t<LSCAN_COMMON_KEYS32, ROWS> : common_rows_t {
};
template <int ROWS> struct lscan_rows_t<LSCAN_COMMON_TRACED32, ROWS> : common_rows_t {
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
template <int ROWS>
struct lscan_column_t<LSCAN_COMMON_KEYS32, ROWS> : lscan_selected_column_t {
};
template <int ROWS>
struct lscan_column_t<LSCAN_COMMON_TRACED32, ROWS> : lscan_selected_column_t {
};
template <int ROWS> struct lscan_column_t<LSCAN_KEYS, ROWS> {
    const lscan_key_t *at;
};
template <int ROWS> struct lscan_column_t<LSCAN_KEYS32, ROWS> {
    const int *at;
};
template <int ROWS> struct lscan_column_t<LSCAN_TRACED32, ROWS> {
    const int *at;
};

/* @param table  lscan_table_t<KIND>, or lscan_steps_at_t
 * @param x, y   the bytes of the column in both pairs; LSCAN_SELECTS: x is the offset of
 * its entry */
template <int KIND, int ROWS, typename TABLE>
CUDA_BOTH inline lscan_column_t<KIND, ROWS> lscan_column(
    const TABLE &table, const lscan_rows_t<KIND, ROWS> &rows, unsigned x, unsigned y)
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

/* What a thread keeps of its pair, or of a square of it, entries `stride` apart. */
template <typename WORD, int ROWS> struct lscan_kept_t {
    unsigned *back; /* [LSCAN_SEGMENT][ROWS / LSCAN_BACK_ROWS] bits of a segment */
    lscan_line_t<WORD> *lines; /* [n_rows / ROWS + 1][lscan_kept_len] that above the first
                                * row, and the last ones of strips */
    int stride;
    int row0, column0, n_columns; /* the first row and column, and how many columns */
    lscan_line_t<WORD> *squares;  /* LSCAN_HAS_SQUARES: the lines of the whole pair,
                                   * lscan_square_len each; `lines` are a square's */
};

/* The place of the best of all cells in the padded matrix: of equal ones the last. */
struct lscan_end_t {
    int i, j;
};

/* Relative kinds: what keys count from. */
struct lscan_base_t {
    int score; /* of the block, in units of lscan_bases_t */
    int above; /* what adding to a key of the rows above makes relative to it */
    int empty; /* the empty path */
};

/* What a thread holds in registers while it sweeps. */
template <int KIND, int ROWS> struct lscan_thread_t {
    lscan_word<KIND> h[ROWS]; /* of the column before */
    lscan_word<KIND> e[ROWS]; /* of the next column */
    lscan_word<KIND> diagonal, best;
    lscan_rows_t<KIND, ROWS> rows;
    lscan_end_t end;   /* of keys */
    lscan_base_t base; /* of relative kinds */
    long long key;     /* likewise: the best one, which counts from 0 */
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

template <typename WORD> CUDA_BOTH inline WORD lscan_max(WORD a, WORD b)
{
    return a > b ? a : b;
}

/* @return max(a, b, c) */
template <typename WORD> CUDA_BOTH inline WORD lscan_max3(WORD a, WORD b, WORD c)
{
    if constexpr (std::is_same<WORD, int>::value)
        return __vimax3_s32(a, b, c);
    else
        return lscan_max(lscan_max(a, b), c);
}

/* @return max(a + b, c) */
template <typename WORD> CUDA_BOTH inline WORD lscan_add_max(WORD a, WORD b, WORD c)
{
    if constexpr (std::is_same<WORD, int>::value)
        return __viaddmax_s32(a, b, c);
    else
        return lscan_max(a + b, c);
}

/* The same of 64-bit keys. @return the greatest H of the column */
template <int ROWS>
CUDA_BOTH inline lscan_key_t lscan_step_keys(
    const lscan_launch_t &p, lscan_thread_t<LSCAN_KEYS, ROWS> &s,
    lscan_line_t<lscan_key_t> &up, const lscan_column_t<LSCAN_KEYS, ROWS> &column)
{
    const lscan_key_t open = static_cast<lscan_key_t>(p.keys.open);
    const lscan_key_t extend = static_cast<lscan_key_t>(p.keys.extend);
    lscan_key_t before = s.diagonal, f = up.f, best = 0;

    s.diagonal = up.h;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const lscan_key_t x = lscan_max(before + column.at[s.rows.at[r]], s.e[r]);
        const lscan_key_t h = lscan_max(lscan_max(x, f), lscan_key_t(0));

        before = s.h[r];
        s.h[r] = h;
        f = lscan_max(f + extend, x + open);
        s.e[r] = lscan_max(s.e[r] + extend, h + open);
        best = lscan_max(best, h);
    }
    up = lscan_line_t<lscan_key_t>{s.h[ROWS - 1], f};
    return best;
}

/* @return the step of row r */
template <int KIND, int ROWS>
CUDA_BOTH inline int lscan_key_step(const lscan_rows_t<KIND, ROWS> &rows,
                                    const lscan_column_t<KIND, ROWS> &column, int r)
{
    if constexpr (LSCAN_SELECTS<KIND>)
        return static_cast<int>(common_step(rows, column.offset, r));
    else
        return column.at[rows.at[r]];
}

/* The same of 32-bit keys. */
template <int ROWS, int KIND>
CUDA_BOTH inline int lscan_step_keys(const lscan_launch_t &p,
                                     lscan_thread_t<KIND, ROWS> &s, lscan_line_t<int> &up,
                                     const lscan_column_t<KIND, ROWS> &column)
{
    int before = s.diagonal, f = up.f + s.base.above, best = INT_MIN, h_above = 0;

    s.diagonal = up.h + s.base.above;
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const int step = lscan_key_step<KIND, ROWS>(s.rows, column, r);
        const int h = __vimax3_s32(__viaddmax_s32(before, step, s.base.empty), s.e[r], f);
        const int open = h + lscan_keys<KIND>(p).open;

        before = s.h[r];
        s.h[r] = h;
        f = __viaddmax_s32(f, lscan_keys<KIND>(p).extend, open);
        s.e[r] = __viaddmax_s32(s.e[r], lscan_keys<KIND>(p).extend, open);
        if (r % 2 == 1)
            best = __vimax3_s32(best, h_above, h);
        h_above = h;
    }
    up = lscan_line_t<int>{s.h[ROWS - 1], f};
    return best;
}

/*
 * Begin a block of columns: choose its base, and let what the thread holds count from it.
 *
 * @param above  base of the same columns in the rows above
 */
template <int ROWS, int KIND>
CUDA_BOTH inline void lscan_start_block(const lscan_launch_t &p,
                                        lscan_thread_t<KIND, ROWS> &s, int above)
{
    const int shift = lscan_bases<KIND>(p).shift;
    const int rise = (s.diagonal >> shift) - lscan_bases<KIND>(p).corner;
    const unsigned delta = static_cast<unsigned>(rise) << shift;

    s.base.score += rise;
    s.base.above = static_cast<int>(static_cast<unsigned>(above - s.base.score) << shift);
    s.base.empty = static_cast<int>(
        0u - (static_cast<unsigned>(min(s.base.score, 1 << (31 - shift))) << shift));
    s.diagonal = static_cast<int>(static_cast<unsigned>(s.diagonal) - delta);
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        s.h[r] = static_cast<int>(static_cast<unsigned>(s.h[r]) - delta);
        s.e[r] = static_cast<int>(static_cast<unsigned>(s.e[r]) - delta);
    }
    const long long best = s.key - static_cast<long long>(s.base.score) * (1ll << shift);

    s.best = best < INT_MAX ? static_cast<int>(best) : INT_MAX;
}

} // namespace
