/*
 * affine_cell.cuh - the cells of one column that a thread holds, with affine gaps
 * (affine_layout.cuh), for every kind of cell.
 *
 * Everything here also runs on the CPU, where test_affine_sweep compares it with the
 * reference.
 */
#pragma once

#include "kernels/align/affine/affine_layout.cuh"
#include "kernels/align/rscan/rscan_packed.cuh"

#include <type_traits>

namespace
{

/* Keys of SETS64. */
using affine_key_t =
    std::conditional<CUDA_FAST_DOUBLES != 0, double, unsigned long long>::type;

template <int KIND> struct affine_kind_t {
    using word = unsigned;
};
template <> struct affine_kind_t<AFFINE_TABLE64> {
    using word = unsigned long long;
};
template <> struct affine_kind_t<RSCAN_SETS64> {
    using word = affine_key_t;
};
template <> struct affine_kind_t<AFFINE_TABLE_KEY> {
    using word = affine_key_t;
};

template <> struct kind_t<AFFINE_COMMON2> {
    using word = unsigned;
    static constexpr int PAIRS = 2;
    static constexpr bool SETS = false;
};
template <> struct kind_t<AFFINE_GUARD_CODES> {
    using word = unsigned;
    static constexpr int PAIRS = 2;
    static constexpr bool SETS = false;
};
template <> struct table_t<AFFINE_GUARD_CODES> : table_t<RSCAN_SCORE2> {
};
template <> struct kind_t<AFFINE_TABLE32> {
    using word = unsigned;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};
template <> struct kind_t<AFFINE_TABLE_KEY32> {
    using word = unsigned;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};
template <> struct kind_t<AFFINE_TABLE_KEY> {
    using word = affine_key_t;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};
template <> struct kind_t<AFFINE_TABLE64> {
    using word = unsigned long long;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};

/* Kinds whose steps come from a table by the bases of row and column. */
template <int KIND>
constexpr bool AFFINE_HAS_TABLE = KIND == AFFINE_TABLE32 || KIND == AFFINE_TABLE_KEY ||
                                  KIND == AFFINE_TABLE64 || KIND == AFFINE_TABLE_KEY32;

/* The kind of ascan or rscan whose columns a kind has. */
template <int KIND>
constexpr int AFFINE_COLUMN_KIND = KIND == AFFINE_GUARD_CODES
                                       ? static_cast<int>(RSCAN_SCORE2)
                                       : KIND;

/* The byte that has the step of M. */
template <int KIND> constexpr int AFFINE_MATCH_BYTE = KIND == RSCAN_KEY_TIES ? 1 : 0;

/* Whether a word has two lanes of 16 bits. */
template <int KIND> constexpr bool AFFINE_TWO = kind_t<KIND>::PAIRS == 2;

template <int ROWS> struct rows_t<AFFINE_COMMON2, ROWS> : common_rows_t {
};

/* The table, and where in it the steps of each row's base begin, in bytes. */
template <int ROWS> struct affine_table_rows_t {
    const char *table;
    unsigned at[ROWS];
};
template <int ROWS> struct rows_t<AFFINE_TABLE32, ROWS> : affine_table_rows_t<ROWS> {
};
template <int ROWS> struct rows_t<AFFINE_TABLE_KEY, ROWS> : affine_table_rows_t<ROWS> {
};
template <int ROWS> struct rows_t<AFFINE_TABLE_KEY32, ROWS> : affine_table_rows_t<ROWS> {
};
template <int ROWS> struct rows_t<AFFINE_TABLE64, ROWS> : affine_table_rows_t<ROWS> {
};

/* What the tables of a kind hold: steps, or bytes of steps by the base of the column. */
template <int KIND>
using affine_entry_t =
    typename std::conditional<AFFINE_HAS_TABLE<KIND>, typename affine_kind_t<KIND>::word,
                              unsigned>::type;

/* The table of a kernel of ascan. */
template <int KIND> struct affine_table_t {
    affine_entry_t<KIND> at[AFFINE_HAS_TABLE<KIND> ? static_cast<int>(AFFINE_TABLE_DNA)
                                                   : LETTERS * table_t<KIND>::WORDS];
};

/* What a thread passes on from a row to the row below. */
template <typename WORD> struct alignas(2 * sizeof(WORD)) affine_line_t {
    WORD h, f;
};

/* Ends.  Those with ties have h and M in the upper half, and below them Q, which may be
 * too large, and a bit that says whether it is exact. */
template <int KIND>
using affine_best_t = typename std::conditional<AFFINE_HAS_TIES<KIND>, unsigned long long,
                                                typename affine_kind_t<KIND>::word>::type;

/* KEY_TIES: the maxima of the last rows so far: of cells, and of their M and T. */
template <int KIND> struct affine_maxima_t {
};
template <> struct affine_maxima_t<RSCAN_KEY_TIES> {
    unsigned cell, fields;
};

/* What a thread holds in registers while it sweeps. */
template <int KIND, int ROWS> struct affine_thread_t {
    using word = typename affine_kind_t<KIND>::word;
    word h[ROWS]; /* of the column before */
    word e[ROWS]; /* of the next column, if that is no pad */
    word diagonal;
    rows_t<KIND, ROWS> rows;
    affine_maxima_t<KIND> maxima;
    int row0;
    affine_best_t<KIND> best; /* the greatest end, less the offset */
};

/* @return the words of a launch for a kind */
template <int KIND>
CUDA_BOTH inline const affine_words_t<typename affine_kind_t<KIND>::word> &affine_words(
    const affine_launch_t &p)
{
    using word = typename affine_kind_t<KIND>::word;

    if constexpr (sizeof(word) == sizeof(unsigned))
        return p.words32;
    else if constexpr (std::is_same<word, double>::value)
        return p.words_double;
    else
        return p.words64;
}

/* Sums of 32-bit words are computed on the multiply pipe (cuda_mad). */
CUDA_BOTH inline unsigned affine_add(const affine_launch_t &p, unsigned a, unsigned b)
{
    return cuda_mad(a, p.rounds.mad_one, b);
}

template <typename WORD>
CUDA_BOTH inline WORD affine_add(const affine_launch_t &, WORD a, WORD b)
{
    return a + b;
}

template <int KIND, typename WORD> CUDA_BOTH inline WORD affine_max(WORD a, WORD b)
{
    if constexpr (AFFINE_TWO<KIND>)
        return __vimax3_u16x2(a, b, b);
    else
        return a > b ? a : b;
}

/* @return max(a, b, c) */
template <int KIND, typename WORD>
CUDA_BOTH inline WORD affine_max3(WORD a, WORD b, WORD c)
{
    if constexpr (AFFINE_TWO<KIND>)
        return __vimax3_u16x2(a, b, c);
    else if constexpr (std::is_same<WORD, unsigned>::value)
        return __vimax3_u32(a, b, c);
    else
        return affine_max<KIND>(affine_max<KIND>(a, b), c);
}

/* @return max(a + b, c) */
template <int KIND, typename WORD>
CUDA_BOTH inline WORD affine_add_max(WORD a, WORD b, WORD c)
{
    if constexpr (AFFINE_TWO<KIND>)
        return __viaddmax_u16x2(a, b, c);
    else if constexpr (std::is_same<WORD, unsigned>::value)
        return __viaddmax_u32(a, b, c);
    else
        return affine_max<KIND>(a + b, c);
}

/* @return the step of a row's base and a column's */
template <typename WORD>
CUDA_BOTH inline WORD affine_step_of(const affine_layout_t &f, unsigned row,
                                     unsigned column)
{
    const unsigned at = row * DNA_SIZE + column;
    const long long step = static_cast<long long>(f.columns.step[at]) << f.h_shift;
    const long long is_match = f.columns.is_match[at / 32] >> (at % 32) & 1;

    return static_cast<WORD>(f.m_shift > 0 ? step + (is_match << f.m_shift) + 1 : step);
}

/* Fill in a table. @param first, stride  the entries that the caller fills */
template <int KIND>
CUDA_BOTH void affine_fill_table(const affine_launch_t &p, affine_entry_t<KIND> *table,
                                 unsigned first, unsigned stride)
{
    if constexpr (AFFINE_HAS_TABLE<KIND>) {
        for (unsigned at = first; at < AFFINE_TABLE_DNA; at += stride) {
            const unsigned row = at / AFFINE_STRIDE_DNA, column = at % AFFINE_STRIDE_DNA;

            table[at] = column < DNA_SIZE
                            ? affine_step_of<affine_entry_t<KIND>>(p.layout, row, column)
                            : 0;
        }
    } else if constexpr (!kind_t<KIND>::SETS) {
        for (unsigned letter = first; letter < LETTERS; letter += stride) {
            unsigned score = 0, match = 0;

            for (int base = 0; base < 4 && letter < PAD_LETTER; base++) {
                const unsigned step =
                    affine_step_of<unsigned>(p.layout, 1u << base, letter);

                score |= (AFFINE_TWO<KIND> ? step : step >> 16 & 0xff) << (8 * base);
                match |= (step >> (8 * AFFINE_MATCH_BYTE<KIND>)&0xff) << (8 * base);
            }
            table[letter * table_t<KIND>::WORDS] = score;
            if (AFFINE_HAS_TIES<KIND>)
                table[letter * 2 + 1] = match;
        }
    }
}

/* @return the low half of the bytes of sets of several bases, all bits set; 0 in others
 */
CUDA_BOTH inline unsigned affine_codes_of(unsigned letters)
{
    const unsigned others = letters & (letters + 0x0f0f0f0fu) & 0x0f0f0f0fu;

    return ((others + 0x0f0f0f0fu) >> 4 & 0x01010101u) * 15;
}

/* GUARD_CODES: the rows from row0 on, as those of SCORE2.  The selectors of codes choose
 * zeros; the bytes above the selectors have the steps of codes, of both pairs. */
template <int ROWS>
CUDA_BOTH inline rows_t<AFFINE_GUARD_CODES, ROWS> affine_code_rows(
    const affine_launch_t &p, const packed_pairs_t &packed, int row0)
{
    constexpr unsigned ANY = DNA_SIZE - 1;
    const unsigned step = affine_step_of<unsigned>(p.layout, ANY, ANY);
    rows_t<AFFINE_GUARD_CODES, ROWS> rows = {};

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r += 4) {
        const unsigned a = row_letters(packed, 0, row0 + r),
                       b = row_letters(packed, 1, row0 + r);
        const unsigned a_codes = affine_codes_of(a), b_codes = affine_codes_of(b);
        const unsigned x = bases_of(a & ~a_codes), y = bases_of(b & ~b_codes);

        CUDA_UNROLL
        for (int i = 0; i < 4; i++)
            rows.at[r + i] = 0x8480u | (x >> (8 * i) & 15) | (y >> (8 * i) & 15) << 8 |
                             (a_codes >> (8 * i) & 1) * step << 16 |
                             (b_codes >> (8 * i) & 1) * step << 24;
    }
    /* keeps the compiler from computing them again in every column */
    CUDA_UNROLL
    for (unsigned &word : rows.at)
        asm volatile("" : "+r"(word));
    return rows;
}

/* COMMON2: look up the steps of a warp's rows, from row0 on; those of pads may be any.
 * @param table  of SCORE2: bytes by the base of a column */
template <int ROWS>
CUDA_BOTH inline void affine_fill_common(const packed_pairs_t &packed, int row0,
                                         const unsigned *table, const common_rows_t &rows)
{
    common_sync();
    for (int k = common_lane(); k < COMMON_WORDS<ROWS>; k += common_lanes()) {
        const int row = row0 + k / COMMON_ENTRIES, entry = k % COMMON_ENTRIES;
        const unsigned letters = row_letters(packed, 0, row / 4 * 4);
        const unsigned byte = (bases_of(letters) >> (row % 4 * 8) & 3) * 8;
        const unsigned first = table[1u << entry % 4],
                       second = table[1u << entry / 4 % 4];

        rows.steps[k] = (first >> byte & 0xff) | (second >> byte & 0xff) << 16;
    }
    common_sync();
}

/* @return column i of a quad, whose bases in both pairs are a and b */
template <int KIND>
CUDA_BOTH inline column_t affine_column_of(const affine_entry_t<KIND> *table, unsigned a,
                                           unsigned b, int i)
{
    if constexpr (AFFINE_HAS_TABLE<KIND>)
        return column_t{cuda_permute(a, 0, 0x4440u + i), 0};
    else if constexpr (KIND == AFFINE_COMMON2)
        return column_t{cuda_permute(common_offsets<false>(a, b), 0, 0x4440u + i), 0};
    else
        return column_of<AFFINE_COLUMN_KIND<KIND>>(
            table, offsets_of<AFFINE_COLUMN_KIND<KIND>>(a),
            offsets_of<AFFINE_COLUMN_KIND<KIND>>(b), i);
}

/* @return the cell behind a diagonal step to row r */
template <int KIND, int ROWS, typename WORD>
CUDA_BOTH inline WORD affine_diagonal(const affine_launch_t &p,
                                      const rows_t<KIND, ROWS> &rows, int r,
                                      column_t letter, WORD before)
{
    if constexpr (AFFINE_HAS_TABLE<KIND>) {
        const char *steps = rows.table + letter.a * sizeof(WORD);

        return affine_add(p, before, *reinterpret_cast<const WORD *>(steps + rows.at[r]));
    } else if constexpr (KIND == AFFINE_COMMON2) {
        return affine_add(p, common_step(rows, letter.a, r), before);
    } else if constexpr (kind_t<KIND>::SETS) {
        const bool meet = (rows.at[r / 8] & letter.a & (0xfu << (4 * (r % 8)))) != 0;
        const affine_words_t<WORD> &words = affine_words<KIND>(p);

        return affine_add(p, before, meet ? words.match : words.mismatch);
    } else {
        const WORD step = cuda_permute(letter.a, letter.b, rows.at[r]);

        if constexpr (KIND == RSCAN_KEY_TIES) /* that of T has no byte */
            return affine_add(p, step, affine_add(p, before, WORD(1)));
        else if constexpr (KIND == AFFINE_GUARD_CODES) /* those of codes */
            return affine_add(p, step,
                              affine_add(p, cuda_permute(rows.at[r], 0, 0x4342), before));
        else
            return affine_add(p, step, before);
    }
}

/* How the path to a cell goes back, 4 bits (nw_reference.h): H by a diagonal step; if
 * not, H by F and not by E; F by the gap's first base; and E of the next column by the
 * gap's first base. */
enum affine_back_t {
    AFFINE_DIAGONAL = 1,
    AFFINE_BY_F = 2,
    AFFINE_F_FIRST = 4,
    AFFINE_E_FIRST = 8,
    AFFINE_BACK_BITS = 4
};

/* Of a sweep that keeps none of these bits.
 * @tparam FREE  affine_extends_free */
template <bool FREE_GAPS = false> struct affine_untraced_t {
    static constexpr bool ON = false, NARROWS = false, FREE = FREE_GAPS;
};

/* Of one that instead notes what the last of a thread's rows says about the next rows
 * (affine_band.cuh). */
template <int KIND, bool FREE_GAPS = false> struct affine_alive_t {
    using word = typename affine_kind_t<KIND>::word;
    static constexpr bool ON = false, NARROWS = true, FREE = FREE_GAPS;
    int target[kind_t<KIND>::PAIRS]; /* K of each pair; AFFINE_NO_TARGET: unknown */
    word slope;                      /* e_1, in every lane */
    word below; /* in every lane: a cell of the row with V up to this is dead */
    word quad;  /* the maximum of V over the last columns */
    word reach; /* and over all */
    int first; /* the first column with a cell that is not dead, or up to QUAD - 1 columns
                * before it; < 0: none yet */
};

/* The bits of a column that a thread holds, AFFINE_BACK_ROWS rows per word. */
constexpr int AFFINE_BACK_ROWS = 32 / AFFINE_BACK_BITS;
template <int ROWS> struct alignas(ROWS *AFFINE_BACK_BITS / 8) affine_back_words_t {
    unsigned at[ROWS / AFFINE_BACK_ROWS];
};

/* Of one that keeps them, for the rows that a thread holds. */
template <int ROWS> struct affine_traced_t {
    static constexpr bool ON = true, NARROWS = false, FREE = false;
    affine_back_words_t<ROWS> back; /* of the current column */
    affine_back_words_t<ROWS> *out; /* of all columns; of the next one */
    int place; /* of the best end: its row, or m + 1 + the column if in the last row */
};

template <typename TRACE> CUDA_BOTH inline void affine_clear(TRACE &trace)
{
    if constexpr (TRACE::ON)
        trace.back = {};
}

/* Note bits of row r. */
template <typename TRACE>
CUDA_BOTH inline void affine_note(TRACE &trace, int r, bool is_set, unsigned bits)
{
    if (is_set)
        trace.back.at[r / AFFINE_BACK_ROWS] |=
            bits << (r % AFFINE_BACK_ROWS * AFFINE_BACK_BITS);
}

/* @return the greater one. @param is_first  out: whether that is a; it wins a tie */
template <typename WORD>
CUDA_BOTH inline WORD affine_choose(WORD a, WORD b, bool *is_first)
{
    *is_first = !(b > a);
    return *is_first ? a : b;
}

/* Whether the maximum of three words takes one instruction.  Then it is cheaper to find
 * out which of them it equals. */
template <typename WORD>
constexpr bool AFFINE_HAS_MAX3 = std::is_same<WORD, unsigned>::value;

/* Extend a gap, or begin it. @param first  the bit of a gap's first base */
template <int KIND, typename WORD, typename TRACE>
CUDA_BOTH inline WORD affine_gap(WORD gap, WORD extend, WORD open, TRACE &trace, int r,
                                 affine_back_t first)
{
    if constexpr (TRACE::ON && AFFINE_HAS_MAX3<WORD>) {
        const WORD out = affine_add_max<KIND>(gap, extend, open);

        affine_note(trace, r, out == open, first);
        return out;
    } else if constexpr (TRACE::ON) {
        bool is_first;
        const WORD out = affine_choose(open, gap + extend, &is_first);

        affine_note(trace, r, is_first, first);
        return out;
    } else {
        return affine_add_max<KIND>(gap, extend, open);
    }
}

/* @return H */
template <int KIND, typename WORD, typename TRACE>
CUDA_BOTH inline WORD affine_best(WORD diagonal, WORD e, WORD f, TRACE &trace, int r)
{
    if constexpr (TRACE::ON && AFFINE_HAS_MAX3<WORD>) {
        const WORD out = affine_max3<KIND>(diagonal, e, f);

        affine_note(trace, r, out == f, AFFINE_BY_F);
        affine_note(trace, r, out == diagonal, AFFINE_DIAGONAL);
        return out;
    } else if constexpr (TRACE::ON) {
        bool by_f, is_diagonal;
        const WORD out =
            affine_choose(diagonal, affine_choose(f, e, &by_f), &is_diagonal);

        affine_note(trace, r, by_f, AFFINE_BY_F);
        affine_note(trace, r, is_diagonal, AFFINE_DIAGONAL);
        return out;
    } else {
        return affine_max3<KIND>(diagonal, e, f);
    }
}

/*
 * Compute the cells of one column that a thread holds.
 *
 * @param up  the values above the first row; out: those of the last row
 * @param in_last_row  whether the last row is that of the matrix, and terminal gaps run
 *                     along it; only tracing needs to know
 * @return the last row's value without a gap against the column's base: in the last row
 *         of all, where terminal gaps run, an alignment may only end there
 */
template <int KIND, int ROWS, typename WORD, typename TRACE>
CUDA_BOTH inline WORD affine_step(const affine_launch_t &p,
                                  affine_thread_t<KIND, ROWS> &s, affine_line_t<WORD> &up,
                                  column_t letter, TRACE &trace, bool in_last_row)
{
    const affine_words_t<WORD> &words = affine_words<KIND>(p);
    WORD before = s.diagonal, h = up.h, f = up.f, diagonal = 0;

    s.diagonal = h;
    affine_clear(trace);
    if constexpr (TRACE::FREE) {
        CUDA_UNROLL
        for (int r = 0; r < ROWS; r++) {
            diagonal = affine_diagonal<KIND, ROWS>(p, s.rows, r, letter, before);
            before = s.h[r];
            f = affine_add_max<KIND>(h, words.open_lanes, f);
            s.h[r] = h = affine_max3<KIND>(diagonal, s.e[r], f);
            s.e[r] = affine_add_max<KIND>(h, words.open_lanes, s.e[r]);
        }
        up = affine_line_t<WORD>{h, f};
        return affine_max<KIND>(diagonal, f);
    }
    WORD open = affine_add(p, h, words.open);

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        diagonal = affine_diagonal<KIND, ROWS>(p, s.rows, r, letter, before);
        before = s.h[r];
        f = affine_gap<KIND>(f, words.extend, open, trace, r, AFFINE_F_FIRST);
        const bool drops_e = TRACE::ON && in_last_row && r == ROWS - 1;

        s.h[r] = h = affine_best<KIND>(diagonal, drops_e ? WORD(0) : s.e[r], f, trace, r);
        open = affine_add(p, h, words.open);
        s.e[r] = affine_gap<KIND>(s.e[r], words.extend, open, trace, r, AFFINE_E_FIRST);
    }
    up = affine_line_t<WORD>{h, f};
    return affine_max<KIND>(diagonal, f);
}

/* KEY_TIES: note the last row's cell of a column. */
template <int KIND, int ROWS, typename WORD>
CUDA_BOTH inline void affine_note_maxima(const affine_launch_t &p,
                                         affine_thread_t<KIND, ROWS> &s, WORD cell)
{
    if constexpr (KIND == RSCAN_KEY_TIES) {
        s.maxima.cell = max(s.maxima.cell, cell);
        s.maxima.fields = max(s.maxima.fields, cell & ((1u << p.layout.h_shift) - 1));
    }
}

/* @return whether no field of any cell has overflowed */
template <int KIND, int ROWS>
CUDA_BOTH inline bool affine_holds(const affine_launch_t &p,
                                   const affine_thread_t<KIND, ROWS> &s)
{
    if constexpr (KIND == RSCAN_KEY_TIES)
        return s.maxima.cell >> p.layout.h_shift <= p.layout.h_max &&
               s.maxima.fields >> p.layout.m_shift <= p.layout.m_max;
    else
        return true;
}

/* A mask of the lanes of a word, 16 bits each; where a word has one lane, 0 or not 0. */
template <int KIND> CUDA_BOTH inline unsigned affine_mask(bool first, bool second)
{
    return AFFINE_TWO<KIND> ? (first ? 0xffffu : 0) | (second ? 0xffff0000u : 0) : first;
}

/* Ties: let a tie break start from `drop` more rows or columns, and limit it. */
CUDA_BOTH inline unsigned affine_rebased(const affine_launch_t &p, unsigned value,
                                         unsigned drop)
{
    return value - min(value & ((1u << p.layout.m_shift) - 1), drop);
}

/* The same for the values above a thread's rows. */
template <int KIND, typename WORD>
CUDA_BOTH inline void affine_rebase(const affine_launch_t &p, affine_line_t<WORD> &up,
                                    unsigned drop)
{
    if constexpr (AFFINE_HAS_TIES<KIND>) {
        up.h = affine_rebased(p, up.h, drop);
        up.f = affine_rebased(p, up.f, drop);
    }
}

/* The same for the values to the left of a thread's column. */
template <int KIND, int ROWS>
CUDA_BOTH inline void affine_rebase_left(const affine_launch_t &p,
                                         affine_thread_t<KIND, ROWS> &s, unsigned drop)
{
    s.diagonal = affine_rebased(p, s.diagonal, drop);
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        s.h[r] = affine_rebased(p, s.h[r], drop);
        s.e[r] = affine_rebased(p, s.e[r], drop);
    }
}

/* @return a in the lanes of the mask, b in the others */
template <int KIND, typename WORD>
CUDA_BOTH inline WORD affine_pick(unsigned mask, WORD a, WORD b)
{
    if constexpr (AFFINE_TWO<KIND>)
        return (a & mask) | (b & ~mask);
    else
        return mask != 0 ? a : b;
}

/* What is special about a column at an edge of the matrix. */
struct affine_edge_t {
    int row_pads[2]; /* pads among the thread's rows and below, in front of the bases */
    unsigned column_pad; /* lanes for which the column is a pad */
    bool in_last_column; /* it is the last one, and terminal gaps run along it */
    bool in_last_row;    /* the thread has the last row, and terminal gaps run along it */
};

/* The same as affine_step, for columns at an edge: cells of pads are the border, and
 * neither gaps in the last row nor gaps in the last column are inside the matrix. */
template <int KIND, int ROWS, typename WORD, typename TRACE>
CUDA_BOTH inline WORD affine_step_edge(const affine_launch_t &p,
                                       affine_thread_t<KIND, ROWS> &s,
                                       affine_line_t<WORD> &up, column_t letter,
                                       const affine_edge_t &edge, TRACE &trace)
{
    const affine_words_t<WORD> &words = affine_words<KIND>(p);
    WORD before = s.diagonal, h = up.h, f = up.f;

    s.diagonal = h;
    affine_clear(trace);
    CUDA_UNROLL
    for (int r = 0; r < ROWS; r++) {
        const unsigned row_pad =
            affine_mask<KIND>(r < edge.row_pads[0], r < edge.row_pads[1]);
        const unsigned pad = row_pad | edge.column_pad;
        const WORD diagonal = affine_diagonal<KIND, ROWS>(p, s.rows, r, letter, before);
        const bool drops_e = edge.in_last_row && r == ROWS - 1;
        const WORD border = affine_pick<KIND>(row_pad, h, s.h[r]);

        before = s.h[r];
        f = affine_gap<KIND>(f, words.extend, affine_add(p, h, words.open), trace, r,
                             AFFINE_F_FIRST);
        h = affine_best<KIND>(diagonal, drops_e ? WORD(0) : s.e[r],
                              edge.in_last_column ? WORD(0) : f, trace, r);
        f = affine_pick<KIND>(pad, WORD(0), f);
        s.h[r] = h = affine_pick<KIND>(pad, border, h);
        s.e[r] = affine_gap<KIND>(affine_pick<KIND>(pad, WORD(0), s.e[r]), words.extend,
                                  affine_add(p, h, words.open), trace, r, AFFINE_E_FIRST);
    }
    up = affine_line_t<WORD>{h, f};
    return h;
}

} // namespace
