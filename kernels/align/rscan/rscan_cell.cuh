/*
 * rscan_cell.cuh - the cells of one column that a thread holds, and the best end of an
 * alignment, for every kind of cell (rscan_layout.cuh).
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_CELL_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_CELL_CUH

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

/* The best end of a pair so far. */
struct end_t {
    long long rank; /* score + gap cost of all m + n bases */
    int matches, columns;
    bool doubtful;
};

/* Keep the better of two ends.  If they are equal, the doubt of either remains. */
__device__ inline void better_end(const end_t &e, end_t *best)
{
    if (e.rank < best->rank)
        return;
    if (e.rank > best->rank || e.matches > best->matches) {
        *best = e;
    } else if (e.matches == best->matches) {
        const bool doubtful = e.doubtful || best->doubtful;

        if (e.columns < best->columns)
            *best = e;
        best->doubtful = doubtful;
    }
}

/* @param rest  h - A M = B X + c s (cell_layout.h)
 * @param low   the tie break of the cell
 * @return the bases s in front of the start plus the mismatches X, as in cell_layout.c */
__device__ inline int overhang_of(const cell_layout_t &f, long long rest, int low,
                                  bool *doubtful)
{
    const int k = static_cast<int>(f.tie == TIE_FROM_HIGH ? f.tie_max - low : low);
    const int left = static_cast<int>(rest), q = static_cast<int>(f.quantum);

    if (f.mismatch < 0)
        return left / static_cast<int>(f.gap_cost);
    if (!f.columns_free || f.tie == TIE_NONE)
        return left / static_cast<int>(f.mismatch);
    *doubtful = k == f.tie_max;
    for (int s = k * q; s < (k + 1) * q && !*doubtful; s++)
        if ((left - static_cast<int>(f.gap_cost) * s) % static_cast<int>(f.mismatch) == 0)
            return s + (left - static_cast<int>(f.gap_cost) * s) /
                           static_cast<int>(f.mismatch);
    return 0;
}

/* Let an alignment end at cell (i, j) if that is better than its best end so far.
 * @param behind  bases of both sequences behind the end */
template <typename WORD>
__device__ inline void offer(const rscan_launch_t &p, WORD cell, int i, int j, int behind,
                             end_t *best)
{
    const cell_layout_t &f = p.layout;
    const long long h = static_cast<long long>(cell >> f.h_shift);
    const long long rank = h * f.unit + f.gap_cost * behind;
    end_t e = {rank, 0, 0, false};

    if (rank < best->rank)
        return;
    if (p.identity) {
        const int low = static_cast<int>(cell & ((WORD(1) << f.m_shift) - 1));

        e.matches = static_cast<int>(cell >> f.m_shift &
                                     ((WORD(1) << (f.h_shift - f.m_shift)) - 1));
        e.columns = f.tie == TIE_STEPS
                        ? i + j - low
                        : i + j - e.matches -
                              overhang_of(f, h - f.match * e.matches, low, &e.doubtful);
    }
    better_end(e, best);
}

} // namespace

#endif
