/*
 * rscan_packed.cuh - the pairs that the words of a thread hold, one or two: their padded
 * matrix, borders, bases and ends.  Shared by rscan, dscan and tracing.
 *
 * Pads are rows and columns in front of the first base.  Their steps are 0, so cells pass
 * through them unchanged, and every alignment ends in the last row and column.  Rows are
 * padded to a multiple of the rows that are swept at a time, columns to a multiple of
 * QUAD; where a word holds two pairs, both are padded to the larger size.
 */
#pragma once

#include "kernels/align/cuda/cuda_common.cuh"
#include "kernels/align/rscan/rscan_cell.cuh"

namespace
{

constexpr unsigned ALL = 0xffffffffu;
constexpr int WARP = 32, QUAD = 4; /* columns whose bases are read at once */

/* One pair, in the padded matrix of the packed_pairs_t that it belongs to. */
struct padded_pair_t {
    unsigned index; /* in the batch */
    const unsigned char *row_end, *column_end;
    int m, n; /* bases of rows and columns */
    int row_pads, column_pads;
    int window; /* of its tie break; TIE_SURE: none */
};

struct packed_pairs_t {
    padded_pair_t pairs[2];
    int n_rows, n_columns; /* including pads */
    int low, high;         /* the warp's band -low <= j - i <= high, including pads */
    int max_pads;          /* maximum of column_pads, in the warp */
};

/* @param swap  whether the target's bases are the rows */
CUDA_BOTH inline padded_pair_t padded_pair_of(const rscan_launch_t &p, unsigned at,
                                              bool swap)
{
    const pair_t pair = p.pairs[at];
    const int q_len = p.set.len[pair.query], t_len = p.set.len[pair.target];
    const unsigned char *q_end = p.set.letters + p.set.start[pair.query] + q_len;
    const unsigned char *t_end = p.set.letters + p.set.start[pair.target] + t_len;

    return padded_pair_t{at,
                         swap ? t_end : q_end,
                         swap ? q_end : t_end,
                         swap ? t_len : q_len,
                         swap ? q_len : t_len,
                         0,
                         0,
                         0};
}

__device__ inline ends_t ends_of(const padded_pair_t &pair)
{
    return ends_t{pair.m + pair.n, pair.window};
}

/* Which sequence of a pair is the rows, where ends are alike. */
enum rows_choice_t {
    ROWS_SHORTER, /* that without ambiguity codes, or else the shorter one */
    ROWS_LONGER,  /* that without ambiguity codes, or else the longer one */
    ROWS_QUERY,   /* that without ambiguity codes, or else the query */
    ROWS_LONGER_ALWAYS
};

/* @return whether the target's bases are the rows.  Where ends differ, the query's are.
 */
CUDA_BOTH inline bool swaps(const rscan_launch_t &p, unsigned at,
                            rows_choice_t rows = ROWS_SHORTER)
{
    if (p.layout.rows_free != p.layout.columns_free)
        return false;

    const pair_t pair = p.pairs[at];
    const bool q_codes = p.set.has_ambiguity[pair.query] != 0,
               t_codes = p.set.has_ambiguity[pair.target] != 0;

    if (rows == ROWS_QUERY)
        return q_codes && !t_codes;
    return q_codes != t_codes && rows != ROWS_LONGER_ALWAYS
               ? q_codes
               : (p.set.len[pair.query] > p.set.len[pair.target]) !=
                     (rows != ROWS_SHORTER);
}

/* @return which sequence is the rows in a launch of rscan */
CUDA_BOTH inline rows_choice_t rows_choice(const rscan_launch_t &p)
{
    return p.variant.by_rows ? ROWS_QUERY : ROWS_SHORTER;
}

/* @return whether the rows are the query's bases */
__device__ inline bool rows_are_query(const rscan_launch_t &p, const padded_pair_t &pair)
{
    const int query = p.pairs[pair.index].query;

    return pair.row_end == p.set.letters + p.set.start[query] + p.set.len[query];
}

/* @return the band of a pair, if it has one */
__device__ inline rscan_band_t band_of(const rscan_launch_t &p, const padded_pair_t &pair)
{
    const rscan_band_t none = {RSCAN_NO_BAND, RSCAN_NO_BAND};
    const rscan_variant_t &v = p.variant;
    const bool guarded = v.bands == RSCAN_BANDS_GUARDED;

    if (v.bands == RSCAN_BANDS_NONE || (guarded && p.banded[pair.index] == 0))
        return none;
    if (guarded && v.round != RSCAN_ROUND_BOUND) {
        const rscan_band_t band = p.bound_band[pair.index];

        return band.low == 0 && band.high == 0 ? none : band;
    }
    const int w = guarded ? v.bound_w : p.band_w[pair.index];

    return w < 0 ? none
                 : rscan_band_t{w + max(pair.m - pair.n, 0), w + max(pair.n - pair.m, 0)};
}

/* @return the band of a pair with a window */
__device__ inline rscan_band_t window_band_of(const rscan_launch_t &p,
                                              const padded_pair_t &pair)
{
    const rscan_band_t band = p.bound_band[pair.index];

    return rows_are_query(p, pair) ? band : rscan_band_t{band.high, band.low};
}

/* @return whether the band is the whole matrix; pads have shifted its limits a little */
CUDA_BOTH inline bool is_unbanded(const packed_pairs_t &packed)
{
    return packed.low >= RSCAN_NO_BAND / 2 || packed.high >= RSCAN_NO_BAND / 2;
}

/* Pad rows to a multiple of `rows`, and columns to a multiple of QUAD. */
template <int PAIRS> CUDA_BOTH inline void pad_pairs(packed_pairs_t *packed, int rows)
{
    int m = 0, columns = 0;

    for (int i = 0; i < PAIRS; i++) {
        m = max(m, packed->pairs[i].m);
        columns = max(columns, packed->pairs[i].n);
    }
    packed->n_rows = (m + rows - 1) / rows * rows;
    packed->n_columns = (columns + QUAD - 1) / QUAD * QUAD;
    for (int i = 0; i < PAIRS; i++) {
        packed->pairs[i].row_pads = packed->n_rows - packed->pairs[i].m;
        packed->pairs[i].column_pads = packed->n_columns - packed->pairs[i].n;
        packed->max_pads = max(packed->max_pads, packed->pairs[i].column_pads);
    }
}

/* Pack pair k of a kind, and the next one if a word holds two.
 * @param first, n     the pairs of the kind are n, from order[first] on
 * @param n_rows       rows are padded to a multiple of it
 * @tparam WINDOW      whether pairs have windows */
template <int KIND, bool WINDOW>
CUDA_BOTH packed_pairs_t pack_pairs(const rscan_launch_t &p, int first, int n, int k,
                                    int n_rows, rows_choice_t rows = ROWS_SHORTER)
{
    constexpr int PAIRS = kind_t<KIND>::PAIRS;
    packed_pairs_t packed = {};

    for (int i = 0; i < PAIRS; i++) { /* past the end: a copy of the last */
        const unsigned at = p.order[first + min(k + i, n - 1)];

        packed.pairs[i] = padded_pair_of(p, at, swaps(p, at, rows));
        if (WINDOW) /* elsewhere the compiler knows that there is none */
            packed.pairs[i].window = p.window[at];
    }
    pad_pairs<PAIRS>(&packed, n_rows);
    packed.low = packed.high = RSCAN_NO_BAND;
    return packed;
}

/* @param window  of the pair
 * @return the border cell behind k bases if ends are free; it is 0 if they are counted */
template <int KIND>
__device__ inline typename kind_t<KIND>::word border(const rscan_launch_t &p, int k,
                                                     int window)
{
    using word = typename kind_t<KIND>::word;
    const cell_layout_t &f = p.layout;
    int tie = 0;

    if (!f.columns_free)
        return 0;
    k = max(k, 0);
    if (KIND != RSCAN_SCORE2 && f.tie == TIE_STEPS)
        tie = k;
    else if (KIND != RSCAN_SCORE2 && f.tie != TIE_NONE)
        tie = tie_code_at(&p.tie, k, window);
    if (KIND != RSCAN_SCORE2 && f.tie == TIE_FROM_HIGH)
        tie = p.tie.max - tie;
    return (static_cast<word>(k * static_cast<int>(f.gap_cost)) << f.h_shift) + tie;
}

/* @return border cells of all pairs
 * @tparam PADS  &row_pads: of the left border, &column_pads: of the upper one
 * @param place  rows or columns in front of it, including pads
 * @param out    adds 1: the path starts outside the inner region (rscan_kernel.cu) */
template <int KIND, int padded_pair_t::*PADS>
__device__ inline typename kind_t<KIND>::word borders(const rscan_launch_t &p,
                                                      const packed_pairs_t &packed,
                                                      int place, bool out)
{
    constexpr bool OF_ROWS = PADS == &padded_pair_t::row_pads;
    const bool is_free = OF_ROWS ? p.layout.rows_free : p.layout.columns_free;
    typename kind_t<KIND>::word cells = 0;

    for (int i = 0; i < kind_t<KIND>::PAIRS; i++)
        cells |= (border<KIND>(p, is_free ? place - packed.pairs[i].*PADS : 0,
                               packed.pairs[i].window) +
                  out)
                 << (16 * i);
    return cells;
}

/* @return four letters in global memory, which the compiler may not know from the pointer
 */
CUDA_BOTH inline unsigned four_letters(const unsigned char *at)
{
    const unsigned *word = reinterpret_cast<const unsigned *>(at);

#ifdef __CUDA_ARCH__
    return __ldg(word);
#else
    return *word;
#endif
}

/* @return the bases of rows row .. row + 3 of a pair, counted including pads */
CUDA_BOTH inline unsigned row_letters(const packed_pairs_t &packed, int which, int row)
{
    const padded_pair_t &pair = packed.pairs[which];

    if (row + 4 <= pair.row_pads)
        return 0;
    return four_letters(pair.row_end - packed.n_rows + row);
}

/* @return the bases of a thread's rows, from row0 on */
template <int KIND, int ROWS>
CUDA_BOTH rows_t<KIND, ROWS> rows_of(const packed_pairs_t &packed, int row0)
{
    rows_t<KIND, ROWS> rows = {};

    CUDA_UNROLL
    for (int r = 0; r < ROWS; r += 4) {
        const unsigned a = row_letters(packed, 0, row0 + r);

        if constexpr (kind_t<KIND>::SETS) {
            const unsigned sets =
                (a & 15) | (a >> 4 & 0xf0) | (a >> 8 & 0xf00) | (a >> 12 & 0xf000);

            rows.at[r / 8] |= sets << (r % 8 * 4);
        } else {
            const unsigned x = bases_of(a);
            const unsigned y =
                KIND == RSCAN_SCORE2 ? bases_of(row_letters(packed, 1, row0 + r)) : x;

            CUDA_UNROLL
            for (int i = 0; i < 4; i++) {
                const unsigned c = x >> (8 * i) & 15, d = y >> (8 * i) & 15;

                /* bytes 1 and 3 become 0: the sign of a byte below 0x80 */
                rows.at[r + i] = KIND == RSCAN_SCORE2
                                     ? 0x8080u | c | d << 8 | 0x400u
                                     : 0xc0c0u | c | 4 | (c | (c & 8) >> 1) << 8;
            }
        }
    }
    /* keeps the compiler from computing them again in every column */
    CUDA_UNROLL
    for (unsigned &word : rows.at)
        asm volatile("" : "+r"(word));
    return rows;
}

/* Where the columns of both pairs are read. */
struct columns_t {
    const unsigned char *at[2]; /* column 0, including pads */
    int pads[2], max_pads;
};

CUDA_BOTH inline columns_t columns_of(const packed_pairs_t &packed)
{
    return columns_t{{packed.pairs[0].column_end - packed.n_columns,
                      packed.pairs[1].column_end - packed.n_columns},
                     {packed.pairs[0].column_pads, packed.pairs[1].column_pads},
                     packed.max_pads};
}

/* @return the bases of four columns of a pair; of pads, anything */
CUDA_BOTH inline unsigned read_letters(const columns_t &c, int which, int column)
{
    if (column < c.max_pads && c.pads[which] - column >= QUAD)
        return 0;
    return four_letters(c.at[which] + column);
}

/* The same, with PAD_LETTER for pads. */
CUDA_BOTH inline unsigned column_letters(const columns_t &c, int which, int column)
{
    const int pads = c.pads[which] - column;
    const unsigned letters = read_letters(c, which, column);

    if (column >= c.max_pads || pads <= 0)
        return letters;
    return letters |
           (0x01010101u * PAD_LETTER & (pads >= QUAD ? ~0u : (1u << (8 * pads)) - 1));
}

/* What a thread holds in registers while it sweeps. */
template <int KIND, int ROWS> struct thread_state_t {
    typename kind_t<KIND>::word left[ROWS];
    typename kind_t<KIND>::word diagonal;
    rows_t<KIND, ROWS> rows;
    int row0;
    unsigned best2; /* SCORE2, free columns: the ranks of the best ends */
    end_t best;
};

/* The best ends before any cell: where all ends are free the empty alignment, whose score
 * is 0 and whose end is (0, n); else none, which any end improves. */
template <int KIND, int ROWS>
__device__ void start_ends(const rscan_launch_t &p, const packed_pairs_t &packed,
                           thread_state_t<KIND, ROWS> &s)
{
    const bool none = p.layout.rows_free;
    const int c = none ? static_cast<int>(p.layout.gap_cost) : 0;

    s.best = end_t{none ? c * (packed.pairs[0].m + packed.pairs[0].n) : -1, 0,
                   p.layout.tie == TIE_FROM_HIGH ? p.tie.max : 0, ~packed.pairs[0].n,
                   TIE_SURE};
    s.best2 = static_cast<unsigned>(c * (packed.pairs[0].m + packed.pairs[0].n)) |
              static_cast<unsigned>(c * (packed.pairs[1].m + packed.pairs[1].n)) << 16;
}

/* @return what a and b bases behind an end add to its rank, at most, for SCORE2 */
__device__ inline unsigned max_gain2_of(const rscan_launch_t &p, int a, int b)
{
    const int c = static_cast<int>(p.layout.gap_cost);

    return static_cast<unsigned>(c * a) | static_cast<unsigned>(c * b) << 16;
}

/* SCORE2: let both pairs end at a cell.
 * @param behind    rows or columns behind it, including pads of the other pair
 * @param max_gain  of max_gain2_of, which pads must not exceed */
__device__ inline unsigned offer2(unsigned best, unsigned cell, int behind, int c,
                                  unsigned max_gain)
{
    const unsigned add2 =
        __vminu2(static_cast<unsigned>(behind) * c * 0x10001u, max_gain);

    return __vmaxu2(best, cell + add2);
}

/* Offer a cell of the last row as an end. @param base  as for offer */
template <int KIND, int ROWS>
__device__ inline void end_in_row(const rscan_launch_t &p, const packed_pairs_t &packed,
                                  thread_state_t<KIND, ROWS> &s,
                                  typename kind_t<KIND>::word cell, int column,
                                  unsigned max_gain2, int base = 0)
{
    const padded_pair_t &pair = packed.pairs[0];

    if constexpr (KIND == RSCAN_SCORE2)
        s.best2 = offer2(s.best2, cell, packed.n_columns - 1 - column,
                         static_cast<int>(p.layout.gap_cost), max_gain2);
    else if (column >= pair.column_pads)
        offer(p, cell, pair.m + column - pair.column_pads + 1, false, ends_of(pair),
              &s.best, base);
}

/* Offer the cells of the last column that a thread holds as ends. @param base  as for
 * offer */
template <int KIND, int ROWS>
__device__ inline void end_in_column(const rscan_launch_t &p,
                                     const packed_pairs_t &packed,
                                     thread_state_t<KIND, ROWS> &s, unsigned max_gain2,
                                     int base = 0)
{
    const padded_pair_t &pair = packed.pairs[0];

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int row = s.row0 + r;

        if constexpr (KIND == RSCAN_SCORE2)
            s.best2 = offer2(s.best2, s.left[r], packed.n_rows - 1 - row,
                             static_cast<int>(p.layout.gap_cost), max_gain2);
        else if (row >= pair.row_pads)
            offer(p, s.left[r], row - pair.row_pads + 1 + pair.n, true, ends_of(pair),
                  &s.best, base);
    }
}

/* Steps by the base of a column: bytes for the four bases of a row.  KEY has two words,
 * for the bytes of h and of the match. */
template <int KIND> struct table_t {
    static constexpr int WORDS = KIND == RSCAN_SCORE2 ? 1 : 2;
    unsigned at[LETTERS * WORDS];
};

/* @param first, stride  the entries that the caller fills */
template <int KIND>
CUDA_BOTH void fill_table(const rscan_launch_t &p, unsigned *table, unsigned first,
                          unsigned stride)
{
    const cell_layout_t &f = p.layout;

    for (unsigned letter = first; letter < LETTERS; letter += stride) {
        unsigned score = 0, match = 0;

        for (int base = 0; base < 4 && letter < PAD_LETTER; base++) {
            const bool meets = (letter >> base & 1) != 0;
            const unsigned step =
                static_cast<unsigned>(meets ? f.step_match : f.step_mismatch);

            score |= (KIND == RSCAN_SCORE2 ? step : step >> 16) << (8 * base);
            match |= (step & 0xff) << (8 * base);
        }
        table[letter * table_t<KIND>::WORDS] = score;
        if (KIND == RSCAN_KEY)
            table[letter * 2 + 1] = match;
    }
}

/* @return the bases of a quad as offsets into the table, in bytes; SETS: as they are */
template <int KIND> CUDA_BOTH inline unsigned offsets_of(unsigned letters)
{
    return kind_t<KIND>::SETS ? letters : letters * (4 * table_t<KIND>::WORDS);
}

/* @return column i of a quad, from offsets_of of both pairs */
template <int KIND>
CUDA_BOTH inline column_t column_of(const unsigned *table, unsigned a, unsigned b, int i)
{
    const unsigned x = cuda_permute(a, 0, 0x4440u + i);
    const char *at = reinterpret_cast<const char *>(table);

    if constexpr (kind_t<KIND>::SETS)
        return column_t{x * 0x11111111u, 0};
    if constexpr (KIND == RSCAN_SCORE2)
        return column_t{*reinterpret_cast<const unsigned *>(at + x),
                        *reinterpret_cast<const unsigned *>(
                            at + cuda_permute(b, 0, 0x4440u + i))};
    const uint2 steps = *reinterpret_cast<const uint2 *>(at + x);

    return column_t{steps.x, steps.y};
}

/* @return whether a pair has no identity, because it has at most `columns` columns */
CUDA_BOTH inline bool is_too_short(const rscan_launch_t &p, const padded_pair_t &pair,
                                   long long columns)
{
    return p.layout.rows_free && columns * p.min_overlap.denominator <
                                     p.min_overlap.numerator * min(pair.m, pair.n);
}

/* @return whether the kernel is the one for the number of pairs of its kind */
__device__ inline bool suits(const rscan_launch_t &p)
{
    return p.n_of_kind[p.kind] >= p.min_pairs && p.n_of_kind[p.kind] <= p.max_pairs;
}

/* Take the next n pairs of the kernel's kind, by a whole warp.
 * @return how many were taken before, in all lanes */
__device__ inline int take_pairs(const rscan_launch_t &p, int n)
{
    const int k = threadIdx.x % WARP == 0 ? atomicAdd(&p.next[p.kind], n) : 0;

    return __shfl_sync(ALL, k, 0);
}

/* @return where the pairs of the kernel's kind begin in the order */
__device__ inline int first_of(const rscan_launch_t &p)
{
    int first = 0;

    for (int k = 0; k < p.kind; k++)
        first += p.n_of_kind[k];
    return first;
}

} // namespace
