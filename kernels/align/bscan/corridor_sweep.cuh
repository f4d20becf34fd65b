/*
 * corridor_sweep.cuh - a warp finds the corridors of 32 pairs with free ends.
 *
 * Definitions.  Rows i are the m bases of the query, columns j the n bases of the target;
 * cell (i, j) is behind i and j bases.  Ends are free: a path goes from (0, s) or (s, 0)
 * to (m, n - r) or (m - r, n), and skips s + r bases at its ends.
 *
 * Costs.  Let B be the value of a mismatch and 2 B that of a match in gap-normalised
 * steps (cell_layout.h), c <= B the cost of a gap base, and K = B - c.  A path with e
 * edits (mismatches and gap bases) that skips s and r bases scores
 *
 *    K (m + n) - P,  P = B e + K (s + r).
 *
 * Let skip(k) = floor(K k / B), and call x = e + skip(s) + skip(r) the *cost* of the
 * path. B x <= P, and P < B (e + skip(s) + 1) + K r.
 *
 * Two sweeps.  Let F(i, j) be the minimum of e + skip(s) over all paths from the borders
 * to a cell, and R(i, j) that of e + skip(r) from the cell to the other borders.  They
 * are edit distances with borders that rise by 0 or 1 per cell, F(i, 0) = skip(i) and
 * F(0, j) = skip(j).  This is what Myers' bit vectors can hold (bscan_column.cuh).  F + R
 * of a cell is the least cost of the paths through it.  A warp sweeps F in the whole
 * matrix and keeps every SPAN-th column.
 *
 * What the best paths cost.  Over all ends, let P' be the minimum of B F + K r.  There is
 * a path with P <= P' + B - 1.  So the best paths cost at most U = floor((P' + B - 1) /
 * B), and lie in cells with F + R <= U: call these the *core*.  The ends of the core are
 * those with F + skip(r) <= U, that is B F + K r < B (U + 1) (corridor_ends.cuh).
 *
 * The window.  R is swept in a window of rows that moves on by one row per column, from
 * the ends on backwards, and is put where the core is in each sampled column
 * (corridor_window.cuh).  Let a path of the core, from its end on backwards, leave the
 * window for the first time behind a cell (i, j).  As it has been in the window before, R
 * of the window at this cell is not more than what the path costs from there on, and
 * F + R <= U.  The cell is in the first row of the window, or in the last one (whose own
 * diagonal steps are not followed).  So if F + R > U in these two rows in all columns,
 * the window has the whole core, with its true values of R.
 *
 * R in these rows is known.  F is known in sampled columns only: let columns a and b < a
 * be neighbouring samples.  The rows follow diagonals, along which F falls by at most one
 * per column backwards and does not rise, and R does not fall.  So of the cells between
 * columns c and c - LOOK >= b
 *
 *    F + R >= max(F(b), F(a) - (a - c + LOOK)) + R(c).
 *
 * Where the row is behind the last one of the matrix in column a, the cell of the last
 * row on this diagonal takes the place of (a).
 *
 * Blocks.  In a sampled column the cells with F + R <= U are the core; let their
 * diagonals be D(a) and D(b).  The part of a path between both columns has at most g = U
 * - min F(b) - min R(a) gap bases, where the minima are over the core.  If it is on
 * diagonal d in between, it has gone from D(b) to d and on to D(a), hence
 *
 *    2 d <= g + max D(a) + max D(b),  2 d >= min D(a) + min D(b) - g.
 *
 * Paths that end in the last row between the samples count as if they came from D(a).
 * Those that start in the first row behind column b have at most U - skip(b) - min R(a)
 * gap bases, and stay within as many diagonals of D(a).
 *
 * Pads.  Rows are padded in front, by q = 32 W - m.  Pads match every letter, which moves
 * values down along diagonals.  With skip(q - i) at the left of pad row i and skip(q + j)
 * above the first pad row, skip(j) arrives above the query's first row.
 *
 * All lanes start with their first letters and go on until the longest target ends.  What
 * a lane computes behind its own last column is not used.
 */
#pragma once

#include "kernels/align/bscan/corridor_ends.cuh"

namespace
{

/* The masks of a column's letter. `reread` makes the compiler load them again, because
 * remembering them would take more registers than there are. */
struct column_masks_t {
    masks_t<LETTERS> masks;
    unsigned none;

    __device__ __forceinline__ unsigned operator()(int w) const
    {
        return masks(w);
    }

    __device__ __forceinline__ column_masks_t reread() const
    {
        return {{masks.masks, masks.offset + none}, none};
    }
};

/* The letters of a target, four at a time. */
struct letters_t {
    const unsigned *at;
    int left;       /* letters */
    unsigned next;  /* the word at `at` */
    unsigned order; /* which bytes of two words are the next four letters */
};

__device__ inline letters_t letters_of(const lane_t &l)
{
    const unsigned odd = static_cast<unsigned>(-l.n) % QUAD; /* targets end with words */
    letters_t t;

    t.at = reinterpret_cast<const unsigned *>(l.target - odd);
    t.left = l.n + static_cast<int>(odd);
    t.order = 0x3210 + 0x1111 * odd;
    t.next = *t.at;
    return t;
}

/* @return the next four letters; behind the target 0 or letters of its neighbours */
__device__ inline unsigned quad_of(letters_t &t)
{
    const unsigned here = t.next;

    t.at++;
    t.left -= QUAD;
    t.next = t.left > 0 ? *t.at : 0;
    return __byte_perm(here, t.next, t.order);
}

template <int W>
__device__ lane_t lane_of(const corridor_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.pads = WARP * W - l.m;
    l.rows = p.set.letters + p.set.start[pair.query];
    l.target = p.set.letters + p.set.start[pair.target];
    l.samples = p.samples +
                static_cast<long long>(blockIdx.x) * p.n_samples * KEPT<W> * WARP + lane;
    return l;
}

/* Write the masks of the rows by letter: of stripes. */
template <int W> __device__ void make_masks(const lane_t &l, unsigned *masks)
{
    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const int row = w + static_cast<int>(threadIdx.x) * W - l.pads;
        const unsigned mask =
            bscan_mask(row >= 0 ? l.rows[row] : 0, __ballot_sync(ALL, row < 0));

        if (threadIdx.x < LETTERS)
            masks[w * LETTERS + threadIdx.x] = mask;
    }
    __syncwarp();
}

/* The same for the window: of rows from the last one on, in order. */
template <int W> __device__ void make_window_masks(const lane_t &l, unsigned *masks)
{
    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < W + 2 * MASK_SLACK; w++) {
        const int row = WARP * (w - MASK_SLACK) + static_cast<int>(threadIdx.x);
        const unsigned letter = row >= 0 && row < l.m ? l.rows[l.m - 1 - row] : 0;
        const unsigned mask = bscan_mask(letter, __ballot_sync(ALL, row < 0));

        if (threadIdx.x < LETTERS)
            masks[threadIdx.x * MASK_STRIDE<W> + w] = mask;
    }
    __syncwarp();
}

template <int W>
__device__ void start(const corridor_launch_t &p, const lane_t &l, stripes_t<W> &s)
{
#pragma unroll
    for (int w = 0; w < W; w++) {
        const int row = w + static_cast<int>(threadIdx.x) * W - l.pads;
        const unsigned pads = __ballot_sync(ALL, row < 0);
        const unsigned changes =
            __ballot_sync(ALL, rises(p.costs, row < 0 ? -row : row + 1));

        s.pv[w] = changes & ~pads;
        s.mv[w] = changes & pads;
    }
}

template <int W> __device__ void keep(const stripes_t<W> &s, unsigned *sample)
{
#pragma unroll
    for (int w = 0; w < W; w++) {
        sample[w * WARP] = s.pv[w];
        sample[(W + w) * WARP] = s.mv[w];
    }
}

/* Sweep F. @return F in the last row, in column n_columns */
template <int W>
__device__ int sweep(const corridor_launch_t &p, const lane_t &l, int n_columns,
                     unsigned *masks)
{
    letters_t letters = letters_of(l);
    border_t above = {0, 0}, below = {0, 0};
    int last = skip_cost(p.costs, l.m);
    stripes_t<W> s;

    make_masks<W>(l, masks);
    start(p, l, s);
    keep(s, l.samples);
    for (int column = 0; column < n_columns;) {
        const int k_above = l.pads + column + static_cast<int>(threadIdx.x) + 1;

        above.hp = __brev(__ballot_sync(ALL, rises(p.costs, k_above)));
        for (int k = 0; k < SPAN; k += QUAD) {
            unsigned quad = quad_of(letters) << 2; /* offsets into masks, in bytes */

#pragma unroll 1
            for (int i = 0; i < QUAD; i++) {
                const column_masks_t eq = {{masks, quad & 0xff}, p.none};

                bscan_column<W, true>(s, eq, ALL, above, below);
                quad >>= 8;
                if (column + k + i + 1 == l.n)
                    keep(s, last_sample<W>(l, p.n_samples));
            }
        }
        column += SPAN;
        unsigned *sample = sample_at<W>(l, column);

        keep(s, sample);
        sample[2 * W * WARP] = below.hp;
        sample[(2 * W + 1) * WARP] = below.hn;
        last += __popc(below.hp) - __popc(below.hn);
    }
    return last;
}

/* Sweep the window backwards, and write the blocks of the corridor.
 * @return what came of it */
template <int W>
__device__ following_t follow_paths(const corridor_launch_t &p, const lane_t &l,
                                    const path_ends_t &ends, int n_columns,
                                    unsigned *masks, corridor_block_t *blocks)
{
    following_t f = start_following<W>(l, p.costs, ends, p.n_samples);

    make_window_masks<W>(l, masks);
#pragma unroll 1
    for (int column = n_columns - SPAN; column >= 0; column -= SPAN) {
        if (column >= l.n)
            continue;
        sweep_block<W>(l, ends, column, masks, &f);
        take_sample<W>(l, p.costs, ends, column, blocks, &f);
    }
    return f;
}

/* @return whether the corridor of any strip is narrow enough */
__device__ inline bool is_narrow(const corridor_launch_t &p, const lane_t &l,
                                 const corridor_block_t *blocks)
{
    const pair_t pair = p.pairs[l.index];
    const bool q_codes = p.set.has_ambiguity[pair.query] != 0,
               t_codes = p.set.has_ambiguity[pair.target] != 0;
    const bool swapped = q_codes != t_codes ? q_codes : l.m > l.n;
    const int n_rows = swapped ? l.n : l.m;
    bool narrow = true;

#pragma unroll 1
    for (int rows = 32; rows <= 48; rows += 16) {
        int at = 0;

        for (int end = n_rows % rows == 0 ? rows : n_rows % rows; end <= n_rows;
             end += rows) {
            const corridor_strip_t strip =
                corridor_strip(blocks, l.m, l.n, swapped, max(end - rows, 0), end, &at);

            narrow &= strip.to - strip.from <= CORRIDOR_WIDTH - 2 * QUAD;
        }
    }
    return narrow;
}

/* Find the corridors of a group. */
template <int W>
__device__ void follow_group(const corridor_launch_t &p, cuda_pair_group_t group,
                             unsigned *masks)
{
    const lane_t l = lane_of<W>(p, group);
    const int n_columns = (cuda_warp_max(l.n) + SPAN - 1) / SPAN * SPAN;
    const int last = sweep<W>(p, l, n_columns, masks);
    const path_ends_t ends = find_ends<W>(l, p.costs, p.n_samples, n_columns, last);
    corridor_block_t *blocks =
        p.out.blocks + static_cast<long long>(l.index) * p.out.n_blocks;
    const following_t f = follow_paths<W>(p, l, ends, n_columns, masks, blocks);

    if (!l.counts)
        return;
    const int n_blocks = (l.n + SPAN - 1) / SPAN;

    if (!f.lost && is_narrow(p, l, blocks)) {
        p.out.w[l.index] = static_cast<short>(f.width / n_blocks / 2);
    } else {
        p.out.w[l.index] = -1;
        atomicAdd(p.out.n_lost, 1);
        p.out.without[atomicAdd(p.out.n_without, 1)] = static_cast<unsigned>(l.index);
    }
}

} // namespace
