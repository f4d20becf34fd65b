/*
 * bscan_column.cuh - one column of edit distances: a thread holds the 32 W rows of a pair
 * in W words.
 *
 * The recurrence is that of Myers (1999) in the form of Hyyro (2003): bit-vectors hold
 * where the distance grows (Pv) or falls (Mv) by one from row to row, and HP and HN where
 * it does so from column to column.
 *
 * Rows are laid out in stripes: bit b of word w is row b W + w, and a stripe is the W
 * rows of one bit.  The row above a row is then the same bit of word w-1.  Nothing is
 * shifted between words, and a word takes five three-operand instructions.  Only HP and
 * HN of word W-1 move up one bit, into word 0, and so have to be known before word 0 is
 * computed.
 *
 * For HN this needs a look-ahead.  HN(r) = Pv(r) & (Eq(r) | HN(r-1)), so a row generates
 * HN, passes on that of the row above, or stops it, as a digit does with the carry of an
 * addition.  The look-ahead goes upwards from word W-1 until every stripe has a row that
 * generates or stops HN.  If some stripes pass it on all the way, one integer addition
 * carries HN from stripe to stripe.
 */
#pragma once

#include <cuda_runtime.h>

namespace
{

/* The look-ahead reads LOOK_FIRST words before it tests for the first time whether it may
 * stop, and LOOK_NEXT words between tests.  It does not test if fewer than LOOK_MIN words
 * are left, or after LOOK_STAGES stages. */
enum { LOOK_FIRST = 18, LOOK_NEXT = 10, LOOK_MIN = 8, LOOK_STAGES = 3 };

/* With this many words a column reads the masks twice: registers cannot keep them. */
enum { REREAD_MIN = 40 };

constexpr unsigned ALL = 0xffffffffu;

/* Warps per multiprocessor that kernels of W words are compiled for. */
template <int W> constexpr int BSCAN_WARPS = W > 56 ? 8 : W > 50 ? 12 : 16;

/*
 * Compute the match masks of 32 rows, one row per lane.
 *
 * @param letter  the set of bases of this lane's row
 * @param wild    rows that match everything
 * @return in lane c: the rows whose sets meet the set c, of 16
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

/* Where the distance in the row above the first, or in the last row, grows (hp) or falls
 * (hn) by one from column to column: one bit per column, the next column's topmost. */
struct border_t {
    unsigned hp, hn;
};

/* The masks of one column: word w is at masks + offset bytes + w STRIDE words. */
template <int STRIDE> struct masks_t {
    const void *masks;
    unsigned offset; /* of the column's set of bases, in bytes */

    __device__ __forceinline__ unsigned operator()(int w) const
    {
        const char *at = static_cast<const char *>(masks) + offset;

        return reinterpret_cast<const unsigned *>(at)[w * STRIDE];
    }

    /* @return the same masks, which the compiler reads again instead of keeping them */
    __device__ __forceinline__ masks_t reread() const
    {
        masks_t copy = *this;

        asm volatile("" : "+r"(copy.offset));
        return copy;
    }
};

/* HP and HN of the last word, which cross into word 0, and HN as it enters word 0. */
struct crossing_t {
    unsigned hp, hn, hn_in;
};

/* @return the first of the words that the look-ahead has read after a stage */
constexpr __host__ __device__ int look_start(int last, int stage)
{
    const int from = last - LOOK_FIRST - stage * LOOK_NEXT;

    return stage < 0 ? last : stage == LOOK_STAGES - 1 || from < LOOK_MIN ? 0 : from;
}

/*
 * Run the look-ahead from a stage on.
 *
 * @param open       stripes in which HN of the last word depends on the words before it
 * @param generates  stripes that generate HN in the words read so far
 * @param passes     stripes that pass HN on through all words read so far
 */
template <int W, int STAGE, class MASKS>
__device__ __forceinline__ void run_look_ahead(const stripes_t<W> &s, const MASKS &eq,
                                               unsigned open, unsigned &generates,
                                               unsigned &passes)
{
    constexpr int from = look_start(W - 1, STAGE), to = look_start(W - 1, STAGE - 1);
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
            run_look_ahead<W, STAGE + 1>(s, eq, open, generates, passes);
}

/* @param needed  stripes whose crossing affects rows that count */
template <int W, class MASKS>
__device__ __forceinline__ crossing_t look_ahead(const stripes_t<W> &s, const MASKS &eq,
                                                 unsigned hn_in, unsigned needed)
{
    const unsigned eq_last = eq(W - 1), pv_last = s.pv[W - 1], mv_last = s.mv[W - 1];
    unsigned generates = 0, passes = ALL;
    crossing_t c;

    run_look_ahead<W, 0>(s, eq, ~(eq_last | mv_last) & needed, generates, passes);
    const unsigned g = pv_last & (eq_last | generates);
    const unsigned a = g | (pv_last & passes);

    c.hn_in = (a + g + hn_in) ^ a ^ g;
    c.hn = g | (pv_last & passes & c.hn_in);
    c.hp = mv_last | ~(pv_last | eq_last | generates | (passes & c.hn_in));
    return c;
}

/*
 * Advance the stripes by one column.
 *
 * @tparam STRIP  other strips of rows may stand above and below
 * @param needed  stripes whose crossing affects rows that count
 * @param above   the row above; its next column is consumed
 * @param below   STRIP: the last row; this column is added to it
 */
template <int W, bool STRIP, class MASKS>
__device__ __forceinline__ void bscan_column(stripes_t<W> &s, const MASKS &eq,
                                             unsigned needed, border_t &above,
                                             border_t &below)
{
    const MASKS reread = W < REREAD_MIN ? eq : eq.reread();
    const crossing_t c = look_ahead(s, eq, STRIP ? above.hn >> 31 : 0, needed);
    unsigned hn = c.hn_in, hp = __funnelshift_l(above.hp, c.hp, 1);
    above.hp <<= 1;
    if (STRIP) {
        above.hn <<= 1;
        below.hp = __funnelshift_l(c.hp, below.hp, 1);
        below.hn = __funnelshift_l(c.hn, below.hn, 1);
    }
#pragma unroll
    for (int w = 0; w < W; w++) {
        const unsigned pv = s.pv[w], e = reread(w);
        const unsigned d0 = e | s.mv[w] | hn;
        const unsigned hp_here = s.mv[w] | ~(d0 | pv);

        s.pv[w] = hn | ~(d0 | hp);
        s.mv[w] = hp & d0;
        hn = pv & (e | hn);
        hp = hp_here;
    }
}

/* @return the distance in row n_rows - 1 minus that above row 0 */
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
