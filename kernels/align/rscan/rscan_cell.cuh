/*
 * rscan_cell.cuh - the cells of one column that a thread holds, and the best end of an
 * alignment, for every kind of cell (rscan_layout.cuh).
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

namespace
{

/* The base of a column in front of the first base: all its steps are 0. */
constexpr unsigned PAD_LETTER = 16;
constexpr int LETTERS = 32; /* entries of a table: sets, PAD_LETTER, and unused ones */

template <int KIND> struct kind_t;

template <> struct kind_t<RSCAN_SCORE2> {
    using word = unsigned;
    static constexpr int PAIRS = 2;
    static constexpr bool SETS = false;
};

template <> struct kind_t<RSCAN_KEY> {
    using word = unsigned;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};

template <> struct kind_t<RSCAN_KEY_TIES> {
    using word = unsigned;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = false;
};

template <> struct kind_t<RSCAN_SETS> {
    using word = unsigned;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = true;
};

template <> struct kind_t<RSCAN_SETS64> {
    using word = unsigned long long;
    static constexpr int PAIRS = 1;
    static constexpr bool SETS = true;
};

/* The bases of a thread's rows: one selector for a byte permutation per row, or with SETS
 * one set of 4 bits per row, eight per word. */
template <int KIND, int ROWS> struct rows_t {
    unsigned at[kind_t<KIND>::SETS ? ROWS / 8 : ROWS];
};

/* The base of a column: the steps that the selectors choose from, or in a the set, eight
 * times over. */
struct column_t {
    unsigned a, b;
};

template <int KIND> __device__ inline unsigned best_of(unsigned a, unsigned b, unsigned c)
{
    return KIND == RSCAN_SCORE2 ? __vimax3_u16x2(a, b, c) : __vimax3_u32(a, b, c);
}

template <int KIND>
__device__ inline unsigned long long best_of(unsigned long long a, unsigned long long b,
                                             unsigned long long c)
{
    return max(a, max(b, c));
}

/* @return diagonal + step, for sets: both sums are computed on the multiply pipe, the
 * match one only where the sets meet */
__device__ inline unsigned add_step(const rscan_launch_t &p, unsigned meet,
                                    unsigned diagonal)
{
    unsigned out;

    asm("{ .reg .pred q;\n\t"
        "setp.ne.u32 q, %1, 0;\n\t"
        "mad.lo.u32 %0, %2, %5, %4;\n\t"
        "@q mad.lo.u32 %0, %2, %5, %3; }"
        : "=&r"(out)
        : "r"(meet), "r"(diagonal), "r"(static_cast<unsigned>(p.layout.step_match)),
          "r"(static_cast<unsigned>(p.layout.step_mismatch)), "r"(p.mad_one));
    return out;
}

__device__ inline unsigned long long add_step(const rscan_launch_t &p, unsigned meet,
                                              unsigned long long diagonal)
{
    return diagonal + static_cast<unsigned long long>(meet != 0 ? p.layout.step_match
                                                                : p.layout.step_mismatch);
}

/*
 * Compute the cells of one column that a thread holds.
 *
 * @param left      cells of the column before; out: of this column
 * @param diagonal  the cell above the first row in the column before; out: in this column
 * @param up        the cell above the first row; out: the cell of the last row
 * @param n_pads    with PADS: rows in front of the first base (SETS only)
 */
template <int KIND, int ROWS, bool PADS>
__device__ inline void step_column(const rscan_launch_t &p,
                                   const rows_t<KIND, ROWS> &rows,
                                   typename kind_t<KIND>::word *left,
                                   typename kind_t<KIND>::word &diagonal,
                                   typename kind_t<KIND>::word &up, column_t letter,
                                   int n_pads)
{
    using word = typename kind_t<KIND>::word;
    word before = diagonal;

    diagonal = up;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        word cell;

        if constexpr (kind_t<KIND>::SETS) {
            cell =
                add_step(p, rows.at[r / 8] & letter.a & (0xfu << (4 * (r % 8))), before);
            if (PADS && r < n_pads)
                cell = before;
        } else {
            cell =
                cuda_mad(cuda_permute(letter.a, letter.b, rows.at[r]), p.mad_one, before);
        }
        before = left[r];
        up = left[r] = best_of<KIND>(cell, up, left[r]);
    }
}

/* A cell in which the alignment of a pair may end. */
struct end_t {
    long long rank; /* score + gap cost of all m + n bases */
    int matches;
    int low;   /* the tie break of the cell */
    int place; /* i + j in the last row, ~(i + j) in the last column */
    int doubt; /* TIE_OPEN: another end is as good, and either is in doubt */
};

/* What all ends of a pair have in common. */
struct ends_t {
    int n_bases; /* m + n */
    int window;  /* of the tie break; TIE_SURE: none */
};

/* @return i + j of an end */
__device__ inline int reach_of(const end_t &e)
{
    return e.place < 0 ? ~e.place : e.place;
}

/* @return h - A M of an end if columns are free; h is then in scores */
__device__ inline int rest_of(const rscan_launch_t &p, const end_t &e, const ends_t &all)
{
    const cell_layout_t &f = p.layout;

    return static_cast<int>(e.rank - f.gap_cost * (all.n_bases - reach_of(e)) -
                            f.match * e.matches);
}

/* @return whether the tie break holds a code (tie_code.h); if not, X follows from h and M
 */
__device__ inline bool has_code(const cell_layout_t &f)
{
    return f.mismatch >= 0 && f.columns_free && f.tie != TIE_NONE;
}

__device__ inline int code_of(const rscan_launch_t &p, const end_t &e)
{
    return p.layout.tie == TIE_FROM_HIGH ? p.tie.max - e.low : e.low;
}

/* @return s + X of an end without a code */
__device__ inline int overhang_of(const cell_layout_t &f, int rest)
{
    return rest / static_cast<int>(f.mismatch < 0 ? f.gap_cost : f.mismatch);
}

/* A short form of columns_at, which the loops over ends have registers for: it does not
 * narrow the range of a code.  Only where columns are free may several ends be as good.
 * @param doubt  out: TIE_OPEN if the code has several values
 * @return the columns of the alignment that ends there */
__device__ inline int columns_by_code(const rscan_launch_t &p, const end_t &e,
                                      const ends_t &all, int *doubt)
{
    const int reach = reach_of(e);

    if (p.layout.tie == TIE_STEPS)
        return reach - e.low;
    const int rest = rest_of(p, e, all);

    if (!has_code(p.layout))
        return reach - e.matches - overhang_of(p.layout, rest);
    const tie_range_t range = tie_code_range(&p.tie, code_of(p, e), all.window);

    if (range.low != range.high)
        *doubt = TIE_OPEN;
    return reach - e.matches - tie_code_overhang(&p.tie, rest, range.low);
}

/* @param end    of the path, without its rest
 * @param start  out: where the tie break holds a code, what it says about the path
 * @return the columns of the alignment that ends there; in doubt an upper bound */
__device__ inline int columns_at(const rscan_launch_t &p, const end_t &e,
                                 const ends_t &all, tie_end_t end, tie_start_t *start)
{
    const int reach = reach_of(e);

    *start = tie_start_t{0, TIE_SURE, 0};
    if (p.layout.tie == TIE_STEPS)
        return reach - e.low;
    const cell_layout_t &f = p.layout;
    const long long h = (e.rank - f.gap_cost * (all.n_bases - reach)) / f.unit;

    end.rest = static_cast<int>(h - f.match * e.matches);
    if (has_code(p.layout))
        *start = tie_code_read(&p.tie, end, code_of(p, e), all.window);
    else
        start->overhang = overhang_of(p.layout, end.rest);
    return reach - e.matches - start->overhang;
}

/* Keep the better of two ends.  Columns are computed only where they decide. */
__device__ inline void better_end(const rscan_launch_t &p, const end_t &e,
                                  const ends_t &all, end_t *best)
{
    if (e.rank > best->rank || (e.rank == best->rank && e.matches > best->matches)) {
        *best = e;
    } else if (p.variant.identity && e.rank == best->rank && e.matches == best->matches) {
        int doubt = max(e.doubt, best->doubt);

        if (columns_by_code(p, e, all, &doubt) < columns_by_code(p, *best, all, &doubt))
            *best = e;
        best->doubt = doubt;
    }
}

/* Let an alignment end at cell (i, j) if that is better than its best end so far.
 * @param reach      i + j
 * @param in_column  whether the cell is in the last column, and not in the last row
 * @param base       subtracted from h (dscan_kernel.cu) */
template <typename WORD>
__device__ inline void offer(const rscan_launch_t &p, WORD cell, int reach,
                             bool in_column, const ends_t &all, end_t *best, int base = 0)
{
    const cell_layout_t &f = p.layout;
    const long long rank = (static_cast<long long>(cell >> f.h_shift) + base) * f.unit +
                           f.gap_cost * (all.n_bases - reach);
    end_t e = {rank, 0, 0, in_column ? ~reach : reach, TIE_SURE};

    if (rank < best->rank)
        return;
    if (p.variant.identity) {
        e.low = static_cast<int>(cell & ((WORD(1) << f.m_shift) - 1));
        e.matches = static_cast<int>(cell >> f.m_shift &
                                     ((WORD(1) << (f.h_shift - f.m_shift)) - 1));
    }
    better_end(p, e, all, best);
}

} // namespace
