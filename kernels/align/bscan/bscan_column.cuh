/*
 * bscan_column.cuh - one column of edit distances: 32 rows a word, W words a thread.
 *
 * Myers' recurrence (1999) in Hyyro's form (2003) with the rows laid out in stripes: bit
 * b of word w is row b W + w.  The row above it is then the same bit of word w-1, so that
 * nothing is shifted from word to word, and a word takes five operations of three
 * operands.  Only what leaves word W-1 moves up a bit, into word 0, and has to be known
 * before word 0 is done.
 *
 * Of that, HN of row r is Pv(r) & (Eq(r) | HN(r-1)): a row either generates it, passes it
 * on or stops it, as a digit of an addition does a carry.  So it is looked for upwards
 * from the last word, and found as soon as no stripe passes on all the way; otherwise
 * what all stripes generate and pass on is added as two numbers.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_COLUMN_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_COLUMN_CUH

#include <cuda_runtime.h>

namespace
{

/* Words that are looked at before it is asked whether they were enough; fewer than
 * LOOK_MIN are looked at without asking. */
enum { LOOK_FIRST = 18, LOOK_NEXT = 10, LOOK_MIN = 8, LOOK_PARTS = 3 };

/* From so many words on there are no registers to remember masks in. */
enum { ANEW_MIN = 40 };

constexpr unsigned ALL = 0xffffffffu;

/* Warps of W words that a multiprocessor should hold. */
template <int W> constexpr int BSCAN_WARPS = W > 56 ? 8 : W > 50 ? 12 : 16;

/*
 * The mask of 32 rows, one a lane.
 *
 * @param letter  this lane's row's set of bases
 * @param wild    rows that match all letters
 * @return in lane c: the rows that match the set c of 16
 */
__device__ __forceinline__ unsigned bscan_mask(unsigned letter, unsigned wild)
{
    unsigned mask = wild;

#pragma unroll
    for (int base = 0; base < 4; base++) {
        const unsigned holds = __ballot_sync(ALL, letter >> base & 1);

        mask |= threadIdx.x >> base & 1 ? holds : 0;
    }
    return mask;
}

/* The rows where the distance is one more (pv) or one less (mv) than in the row above. */
template <int W> struct stripes_t {
    unsigned pv[W], mv[W];
};

/* What the distance above the first row or in the last one does from column to column: a
 * bit a column, one more (hp) or one less (hn). The topmost bit is the next column's. */
struct border_t {
    unsigned hp, hn;
};

/* Where the masks of a column's letter are, STRIDE words from one to the next. */
template <int STRIDE> struct masks_t {
    const void *masks;
    unsigned offset; /* the letter's, in bytes */

    __device__ __forceinline__ unsigned operator()(int w) const
    {
        const char *at = static_cast<const char *>(masks) + offset;

        return reinterpret_cast<const unsigned *>(at)[w * STRIDE];
    }

    /* @return the same, but what was read from here is not remembered */
    __device__ __forceinline__ masks_t anew() const
    {
        masks_t copy = *this;

        asm volatile("" : "+r"(copy.offset));
        return copy;
    }
};

/* What leaves the last word: HN of the word before it, HP and HN of itself; and HN as it
 * comes into word 0. */
struct crossing_t {
    unsigned hp, hn, hn_in;
};

/* @return the word from which the look-ahead's parts up to this one reach to the last */
constexpr __host__ __device__ int look_from(int last, int part)
{
    const int from = last - LOOK_FIRST - part * LOOK_NEXT;

    return part < 0 ? last : part == LOOK_PARTS - 1 || from < LOOK_MIN ? 0 : from;
}

/* The stripes that generate HN in the words from `look_from` to the last but one, and
 * those that pass it on from there; further down for as long as it matters. */
template <int W, int PART, class MASKS>
__device__ __forceinline__ void look(const stripes_t<W> &s, const MASKS &eq,
                                     unsigned open, unsigned &generates, unsigned &passes)
{
    constexpr int from = look_from(W - 1, PART), to = look_from(W - 1, PART - 1);
    unsigned here = 0;

#pragma unroll
    for (int w = from; w < to; w++)
        here = s.pv[w] & (eq(w) | here);
    generates |= passes & here;
#pragma unroll
    for (int w = from; w < to; w++)
        passes &= s.pv[w];
    if constexpr (from > 0)
        if (__any_sync(ALL, (passes & ~generates & open) != 0))
            look<W, PART + 1>(s, eq, open, generates, passes);
}

/* @param wanted  the stripes of which it matters what leaves them */
template <int W, class MASKS>
__device__ __forceinline__ crossing_t look_ahead(const stripes_t<W> &s, const MASKS &eq,
                                                 unsigned hn_in, unsigned wanted)
{
    const unsigned eq_last = eq(W - 1), pv_last = s.pv[W - 1], mv_last = s.mv[W - 1];
    unsigned generates = 0, passes = ALL;
    crossing_t c;

    look<W, 0>(s, eq, ~(eq_last | mv_last) & wanted, generates, passes);
    const unsigned g = pv_last & (eq_last | generates);
    const unsigned a = g | (pv_last & passes);

    c.hn_in = (a + g + hn_in) ^ a ^ g;
    c.hn = g | (pv_last & passes & c.hn_in);
    c.hp = mv_last | ~(pv_last | eq_last | generates | (passes & c.hn_in));
    return c;
}

/*
 * Take the stripes from one column to the next.
 *
 * @param above  STRIP: with hn, else that is 0; moves on by a column
 * @param below  STRIP: takes in a column
 */
template <int W, bool STRIP, class MASKS>
__device__ __forceinline__ void bscan_column(stripes_t<W> &s, const MASKS &eq,
                                             unsigned wanted, border_t &above,
                                             border_t &below)
{
    const MASKS again = W < ANEW_MIN ? eq : eq.anew();
    const crossing_t c = look_ahead(s, eq, STRIP ? above.hn >> 31 : 0, wanted);
    unsigned hn = c.hn_in, hp = __funnelshift_l(above.hp, c.hp, 1);
    above.hp <<= 1;
    if (STRIP) {
        above.hn <<= 1;
        below.hp = __funnelshift_l(c.hp, below.hp, 1);
        below.hn = __funnelshift_l(c.hn, below.hn, 1);
    }
#pragma unroll
    for (int w = 0; w < W; w++) {
        const unsigned pv = s.pv[w], e = again(w);
        const unsigned d0 = e | s.mv[w] | hn;
        const unsigned hp_here = s.mv[w] | ~(d0 | pv);

        s.pv[w] = hn | ~(d0 | hp);
        s.mv[w] = hp & d0;
        hn = pv & (e | hn);
        hp = hp_here;
    }
}

/* @return how much the distance grows from above row 0 to row n_rows - 1 */
template <int W> __device__ int bscan_count(const stripes_t<W> &s, int n_rows)
{
    int sum = 0;

#pragma unroll
    for (int w = 0; w < W; w++) {
        const int n_bits = min(max((n_rows - w + W - 1) / W, 0), 32);
        const unsigned rows = ~__funnelshift_lc(0u, ALL, n_bits);

        sum += __popc(s.pv[w] & rows) - __popc(s.mv[w] & rows);
    }
    return sum;
}

} // namespace

#endif
