/*
 * band_bound_sweep.cuh - a warp bounds what the paths of 32 pairs score that leave a
 * band.
 *
 * Rows i are the m letters of the query, columns j the n of the target; cell (i, j) is
 * behind i and j letters.  A path goes from (0, s) or (s, 0) to (m, n - r) or (m - r, n);
 * s + r letters are skipped at its ends.  The band is -low <= j - i <= high, with low = w
 * + max(m - n, 0) and high = w + max(n - m, 0); a path leaves it that has a cell outside.
 *
 * Costs.  With gap-normalised steps of A = 2 B for a match and B for a mismatch
 * (cell_layout.h), a gap letter's cost c <= B and K = B - c, a path with e mismatches and
 * gap letters scores K (m + n) - B e - K (s + r).  So it scores at most K (m + n) - B x
 * for any x <= e + skip(s) + skip(r), where skip(k) = floor(K k / B).
 *
 * F(i, j), the least e + skip(s) of the paths from the borders to a cell, is an edit
 * distance whose borders skip(i), skip(j) rise by 0 or 1, which is what Myers'
 * bit-vectors hold (bscan_column.cuh).  R(i', j') is the same of the reversed sequences:
 * the least from cell (m - i', n - j') on.  So a path through a cell costs F + R there at
 * least.
 *
 * A path that leaves the band is of one of three sorts, for j - i changes by one at most
 * from cell to cell, and there are L = min(m, n) - w cells on either diagonal beside the
 * band:
 *
 *  - It has a cell on the upper one, (i, i + high + 1) with 0 <= i < L, or on the lower
 *    one, (j + low + 1, j) with 0 <= j < L: it costs F + R there.
 *  - It is below the lower one: it ends at (m, j) with j < L, as (i, n) with n - i < -low
 *    would need i > m, and costs F(m, j) + skip(n - j).
 *  - It is above the upper one: it starts at (0, s) with s > high.  Reversed it is one of
 *    the second sort.
 *
 * Samples.  On either diagonal F is looked at in every SPAN-th column only.  From cell to
 * cell of a diagonal it rises by 0 or 1, and so does R backwards.  R is looked at in
 * every SPAN-th column from the target's end.  Be a + SPAN = b two columns next to each
 * other with samples of R, and a < g <= b the one with a sample of F.  Then what the
 * samples tell of
 *
 *    a < j < g:   F >= F(g - SPAN), F >= F(g) - (g - j), R >= R(b), R >= R(a) - (j - a)
 *
 * makes F + R >= max(F(g - SPAN) + R(b), F(g) + R(a) - (g - a)); and so for g <= j <= b
 * with F(g) and F(g + SPAN), or F(g) again behind the last sample, which is no more.
 * Where a diagonal's row in a sample's column would be above the first or below the last,
 * that one is taken.  Along the first row values do not fall either, and rise by one at
 * most a column, so that all the above holds.  Along the last one they change by one at
 * most a column: what is told of the cells before, by F(g), F(g + SPAN) and R(a), holds;
 * F(g - SPAN), F(g) and R(b) as what later cells have at least are used only for columns
 * of a diagonal's cells behind theirs, so that theirs are cells of it or above it.
 *
 * The last row.  How F changes in it comes out of every column.  It is looked at in every
 * STRIDE-th: between f and g it is (f + g - STRIDE) / 2 at least.
 *
 * Pads.  For that the last row has to be the last bit, so that rows are padded in front,
 * by q = 32 W - m.  The pads match all letters, which hands values on along diagonals:
 * with skip(q - i) at the left of row i of them, and skip(q + j) above the first, skip(j)
 * comes out above the query's first row.
 *
 * Reversing swaps the diagonals, and j' - i' = n - m - (j - i) has them in the same
 * places: both sweeps look at the same rows.  All lanes start with their first letters
 * and go on until the longest target ends; what they find behind their own last columns
 * is as if these had more letters, and is used only to tell of what is before.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BAND_BOUND_SWEEP_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BAND_BOUND_SWEEP_CUH

#include "kernels/align/bscan/band_bound.cuh"
#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

#include <climits>

namespace
{

enum { WARP = 32, LETTERS = 16, QUAD = 4, SPAN = BAND_BOUND_SPAN };
enum { STRIDE = 8 };

static_assert(SPAN == WARP, "borders hold what a span needs");

struct band_bound_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *guarded;
    cuda_grouping_queue_t queue;
    unsigned *samples; /* [blocks][n_samples][WARP] upper diagonal, and lower << 16 */
    int n_samples;
    int w;
    unsigned skip_cost, edit_cost;   /* K and B */
    unsigned none;                   /* 0, which the compiler shall not know */
    int stride_skips[SPAN / STRIDE]; /* skip(0), skip(STRIDE), ... */
};

/* The masks of a column's letter; read anew they are not remembered: that would take
 * more registers than there are. */
struct column_masks_t {
    masks_t<LETTERS> masks;
    unsigned none;

    __device__ __forceinline__ unsigned operator()(int w) const
    {
        return masks(w);
    }

    __device__ __forceinline__ column_masks_t anew() const
    {
        return {{masks.masks, masks.offset + none}, none};
    }
};

/* A thread's pair. */
struct lane_t {
    int index, m, n, low, high;
    int n_outside;             /* L */
    int pads;                  /* q */
    const unsigned char *rows; /* the query, alike in all lanes */
    const unsigned char *target;
    unsigned *samples; /* one every WARP */
    bool counts;       /* or else a copy that fills the warp */
};

/* What the sweeps have found. */
struct found_t {
    int least; /* cost of leaving the band */
    int last;  /* F in the last row */
    unsigned sample;
};

/* Letters of a target, four a time, forwards or backwards. */
struct letters_t {
    const unsigned *at;
    int step, left;       /* words, letters */
    unsigned next, order; /* the word there; the places of four letters in two words */
};

template <int W>
__device__ lane_t lane_of(const band_bound_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.low = p.w + max(l.m - l.n, 0);
    l.high = p.w + max(l.n - l.m, 0);
    l.n_outside = min(l.m, l.n) - p.w;
    l.pads = WARP * W - l.m;
    l.rows = p.set.letters + p.set.start[pair.query];
    l.target = p.set.letters + p.set.start[pair.target];
    l.samples =
        p.samples + static_cast<long long>(blockIdx.x) * p.n_samples * WARP + lane;
    return l;
}

/* @return what skipping k letters costs at least */
__device__ int skip(const band_bound_launch_t &p, int k)
{
    return static_cast<int>(static_cast<unsigned>(k) * p.skip_cost / p.edit_cost);
}

/* @return whether skip rises at k, each lane's bit */
__device__ unsigned rises(const band_bound_launch_t &p, int k)
{
    return __ballot_sync(ALL, static_cast<unsigned>(k) * p.skip_cost % p.edit_cost <
                                  p.skip_cost);
}

/* @return in lane c: the rows, W apart, whose sets meet the set c, and the pads */
template <int W> __device__ unsigned mask_of_lane(const lane_t &l, int first, bool back)
{
    const int row = first + static_cast<int>(threadIdx.x) * W - l.pads;
    const unsigned letter = row >= 0 ? l.rows[back ? l.m - 1 - row : row] : 0;

    return bscan_mask(letter, __ballot_sync(ALL, row < 0));
}

/* Column 0. */
template <int W>
__device__ void start(const band_bound_launch_t &p, const lane_t &l, stripes_t<W> &s)
{
#pragma unroll
    for (int w = 0; w < W; w++) {
        const int row = w + static_cast<int>(threadIdx.x) * W - l.pads;
        const unsigned pads = __ballot_sync(ALL, row < 0);
        const unsigned changes = rises(p, row < 0 ? -row : row + 1);

        s.pv[w] = changes & ~pads;
        s.mv[w] = changes & pads;
    }
}

__device__ letters_t letters_of(const lane_t &l, bool back)
{
    const unsigned char *end = l.target + l.n; /* of whole words */
    const unsigned odd = back ? 0 : static_cast<unsigned>(-l.n) % QUAD;
    letters_t t;

    t.at = reinterpret_cast<const unsigned *>(back ? end - QUAD : l.target - odd);
    t.step = back ? -1 : 1;
    t.left = l.n + static_cast<int>(odd);
    t.order = back ? 0x0123 : 0x3210 + 0x1111 * odd;
    t.next = *t.at;
    return t;
}

/* @return the next four; 0 beside the target or whatever is next to it */
__device__ unsigned quad_of(letters_t &t)
{
    const unsigned here = t.next;

    t.at += t.step;
    t.left -= QUAD;
    t.next = t.left > 0 ? *t.at : 0;
    return __byte_perm(here, t.next, t.order);
}

/* @return how much F grows in the first rows */
template <int W> __device__ int growth(const stripes_t<W> &s, int n_rows)
{
    const int even = n_rows / W, odd = n_rows % W;
    const unsigned fewer = ~__funnelshift_lc(0u, ALL, even);
    const unsigned more = ~__funnelshift_lc(0u, ALL, even + 1);
    int sum = 0;

#pragma unroll
    for (int w = 0; w < W; w++) {
        const unsigned rows = w < odd ? more : fewer;

        sum += __popc(s.pv[w] & rows) - __popc(s.mv[w] & rows);
    }
    return sum;
}

/* @return F on both diagonals in a column: the upper one, and the lower << 16 */
template <int W>
__device__ unsigned sample_of(const band_bound_launch_t &p, const lane_t &l,
                              const stripes_t<W> &s, int column)
{
    const unsigned above = static_cast<unsigned>(skip(p, l.pads + column));
    unsigned sample = above | above << 16;

#pragma unroll 1
    for (int k = 0; k < 2; k++) { /* not twice in the code */
        const int row = k == 0 ? column - l.high - 1 : column + l.low + 1;
        const int grown = growth(s, l.pads + min(max(row, 0), l.m));

        sample += static_cast<unsigned>(grown) << (16 * k);
    }
    return sample;
}

/* Let paths leave through the cells of a diagonal in columns first .. last, of those
 * between two samples of R, in columns a and b = a + SPAN. */
__device__ void offer_cells(const unsigned *samples, int n_columns, int half, int first,
                            int last, int a, int r_a, int r_b, int *least)
{
    const int b = a + SPAN, k = b / SPAN, g = k * SPAN;
    const int f_before = samples[max(k - 1, 0) * WARP] >> half & 0xffff;
    const int f = samples[k * WARP] >> half & 0xffff;
    const int f_next = samples[min(k + 1, n_columns / SPAN) * WARP] >> half & 0xffff;

    if (g - 1 >= first && a + 1 <= last)
        *least = min(*least, max(f_before + r_b, f + r_a - (g - a)));
    if (b >= first && g <= last)
        *least = min(*least, max(f + r_b, f_next + r_a - (g + SPAN - a)));
}

/* Let paths end in the last row's columns up to this one, from the last sample on. */
__device__ void offer_ends(const band_bound_launch_t &p, const lane_t &l, border_t below,
                           int column, found_t *found)
{
    const int before = found->last, from_here = l.n - column;
    int f = before;

#pragma unroll
    for (int k = STRIDE; k <= SPAN; k += STRIDE) {
        const int g =
            before + __popc(below.hp >> (SPAN - k)) - __popc(below.hn >> (SPAN - k));

        /* skipping letters costs as much as skipping them in parts, at least */
        if (column - SPAN + k - STRIDE < l.n_outside)
            found->least =
                min(found->least, ((f + g - STRIDE) >> 1) + skip(p, from_here) +
                                      p.stride_skips[(SPAN - k) / STRIDE]);
        f = g;
    }
    found->last = f;
}

/* Look at a column. */
template <int W>
__device__ void look_at(const band_bound_launch_t &p, const lane_t &l,
                        const stripes_t<W> &s, int column, int n_columns, bool back,
                        found_t *found)
{
    const unsigned sample = sample_of(p, l, s, column), before = found->sample;
    const int a = l.n - column;

    found->sample = sample;
    if (!back) {
        l.samples[column / SPAN * WARP] = sample;
    } else if (column > 0 && a + SPAN >= 0) {
        offer_cells(l.samples, n_columns, 0, l.high + 1, l.n, a, sample >> 16,
                    before >> 16, &found->least);
        offer_cells(l.samples, n_columns, 16, 0, l.n_outside - 1, a, sample & 0xffff,
                    before & 0xffff, &found->least);
    }
}

/* One of a unit's two sweeps. */
template <int W>
__device__ void sweep(const band_bound_launch_t &p, const lane_t &l, int n_columns,
                      bool back, unsigned *masks, found_t *found)
{
    letters_t letters = letters_of(l, back);
    border_t above = {0, 0}, below = {0, 0};
    stripes_t<W> s;

    __syncwarp();
#pragma unroll 1
    for (int w = 0; w < W; w++) {
        const unsigned mask = mask_of_lane<W>(l, w, back);

        if (threadIdx.x < LETTERS)
            masks[w * LETTERS + threadIdx.x] = mask;
    }
    __syncwarp();
    start(p, l, s);
    found->last = skip(p, l.m);
    look_at(p, l, s, 0, n_columns, back, found);
    for (int column = 0; column < n_columns;) {
        above.hp = __brev(rises(p, l.pads + column + static_cast<int>(threadIdx.x) + 1));
        for (int k = 0; k < SPAN; k += QUAD) {
            unsigned quad = quad_of(letters) << 2; /* offsets into masks, in bytes */

#pragma unroll 1
            for (int i = 0; i < QUAD; i++) {
                const column_masks_t eq = {{masks, quad & 0xff}, p.none};

                bscan_column<W, true>(s, eq, ALL, above, below);
                quad >>= 8;
            }
        }
        column += SPAN;
        offer_ends(p, l, below, column, found);
        look_at(p, l, s, column, n_columns, back, found);
    }
}

/* The bounds of a unit's pairs. */
template <int W>
__device__ void bound_group(const band_bound_launch_t &p, cuda_pair_group_t group,
                            unsigned *masks)
{
    const lane_t l = lane_of<W>(p, group);
    const int n_columns = (cuda_warp_max(l.n) + SPAN - 1) / SPAN * SPAN;
    found_t found = {INT_MAX, 0, 0};

#pragma unroll 1
    for (int back = 0; back < 2; back++)
        sweep<W>(p, l, n_columns, back != 0, masks, &found);
    if (l.counts) {
        const long long bound = static_cast<long long>(p.skip_cost) * (l.m + l.n) -
                                static_cast<long long>(p.edit_cost) * found.least;

        p.guarded[l.index] =
            static_cast<int>(bound < INT_MAX ? max(bound + 1, -1ll) : INT_MAX);
    }
}

} // namespace

#endif
