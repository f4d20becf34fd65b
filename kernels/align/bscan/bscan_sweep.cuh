/*
 * bscan_sweep.cuh - a warp aligns a unit: 32 pairs of one query, a thread a pair.
 *
 * The query's letters are the rows; the warp shares their match masks: for each word w
 * and each letter, which is a set of bases, the rows whose sets meet it.  A thread's
 * columns are the letters of its own target, four a time; columns in front of its first
 * change nothing in it, so that threads with shorter targets begin later.
 *
 * Whole matrix: all threads end together.  Masks are [w][16]: wherever the threads'
 * letters differ so do the banks.  Longer queries go in strips of 32 W rows, and what
 * leaves a strip is kept for the next, 32 columns a word.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_SWEEP_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_SWEEP_CUH

#include "kernels/align/bscan/bscan_column.cuh"
#include "kernels/align/cuda/cuda_grouping.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

enum { WARP = 32, LETTERS = 16, QUAD = 4, UNROLLED_MAX = 12 };

struct bscan_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *score;
    cuda_grouping_queue_t queue;
    long long unit_score, gap_cost; /* score = unit_score (m+n-e) - gap_cost (m+n) */
    border_t *borders;              /* [blocks][border_len][WARP] of strips */
    long long border_len;           /* columns / 32 */
    unsigned long long *again_keys; /* [n] of pairs to align again; NULL: none can be */
    int *again_indices;
    unsigned long long *n_banded, *n_failed;
};

/* A thread's pair. */
struct lane_pair_t {
    int index, query, m, n;
    const unsigned char *rows; /* the query, alike in all lanes */
    const unsigned char *end;  /* of the target */
    bool counts;               /* or else a copy that fills the warp */
};

__device__ lane_pair_t pair_of_lane(const bscan_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_pair_t l;

    l.counts = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.query = pair.query;
    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.rows = p.set.letters + p.set.start[pair.query];
    l.end = p.set.letters + p.set.start[pair.target] + l.n;
    return l;
}

/* @return the four letters that begin `left` columns before the target's end; 0 beside */
__device__ unsigned quad_of(const lane_pair_t &l, int left)
{
    return left <= 0 || left >= l.n + QUAD
               ? 0
               : *reinterpret_cast<const unsigned *>(l.end - left);
}

/* @return HP above the first row in a thread that begins in `waits` columns */
__device__ unsigned begun(int waits)
{
    return __funnelshift_rc(ALL, 0, max(waits, 0));
}

/* @return in lane c: the rows, WARP of them `step` apart, whose sets meet the set c */
__device__ unsigned mask_of_lane(const unsigned char *rows, int m, int first, int step)
{
    const int row = first + static_cast<int>(threadIdx.x) * step;
    const unsigned letter = row >= 0 && row < m ? rows[row] : 0;

    return bscan_mask(letter, 0);
}

__device__ void put_score(const bscan_launch_t &p, const lane_pair_t &l, int edits)
{
    const long long letters = static_cast<long long>(l.m) + l.n;

    p.score[l.index] =
        static_cast<int>(p.unit_score * (letters - edits) - p.gap_cost * letters);
}

/* What a strip reads and leaves. */
struct strip_t {
    border_t *border; /* this lane's of the first 32 columns */
    bool first, last;
};

/* @return columns that the code goes through at a time: it has to stay in the cache */
constexpr __host__ __device__ int unrolled(int words)
{
    return words <= UNROLLED_MAX ? QUAD : 1;
}

/* Take a query's rows row0 .. row0 + 32 W - 1 through all columns. */
template <int W, bool STRIP>
__device__ void sweep_rows(stripes_t<W> &s, const lane_pair_t &l, int n_columns,
                           unsigned wanted, const unsigned *masks, const strip_t &strip)
{
    constexpr int UNROLLED = unrolled(W);
    border_t above = {0, 0}, below = {0, 0};
    border_t *border = strip.border;
    unsigned letters = quad_of(l, n_columns);
    int waits = n_columns - l.n;

    for (int left = n_columns; left > 0; left -= QUAD) {
        unsigned quad = letters << 2; /* offsets into masks, in bytes */

        letters = quad_of(l, left - QUAD);
        if (!STRIP || (left % WARP == 0 && strip.first))
            above = {begun(waits), 0};
        else if (left % WARP == 0)
            above = *border;
        waits -= QUAD;
#pragma unroll UNROLLED
        for (int k = 0; k < QUAD; k++) {
            const masks_t<LETTERS> eq = {masks, quad & 0xff};

            bscan_column<W, STRIP>(s, eq, wanted, above, below);
            quad >>= 8;
        }
        if (STRIP && left % WARP == QUAD) {
            if (!strip.last)
                *border = below;
            border += WARP;
        }
    }
}

/* A unit's whole matrices. */
template <int W, bool STRIP>
__device__ void align_whole(const bscan_launch_t &p, cuda_pair_group_t group,
                            unsigned *masks)
{
    const int lane = threadIdx.x, step = STRIP ? WARP : QUAD;
    const lane_pair_t l = pair_of_lane(p, group);
    const int n_columns = (cuda_warp_max(l.n) + step - 1) / step * step;
    const unsigned wanted = STRIP ? ALL : (1u << max(l.m - 1, 0) / W) - 1;
    strip_t strip = {nullptr, true, true};
    int edits = l.n, row0 = 0;

    if (STRIP)
        strip.border = p.borders + blockIdx.x * p.border_len * WARP + lane;
    do {
        stripes_t<W> s;

        __syncwarp();
#pragma unroll 1
        for (int w = 0; w < W; w++) {
            const unsigned mask = mask_of_lane(l.rows, l.m, row0 + w, W);

            if (lane < LETTERS)
                masks[w * LETTERS + lane] = mask;
        }
        __syncwarp();
#pragma unroll
        for (int w = 0; w < W; w++) {
            s.pv[w] = ALL;
            s.mv[w] = 0;
        }
        strip.last = !STRIP || row0 + WARP * W >= l.m;
        sweep_rows<W, STRIP>(s, l, n_columns, wanted, masks, strip);
        edits += bscan_count(s, min(l.m - row0, WARP * W));
        strip.first = false;
        row0 += WARP * W;
    } while (STRIP && row0 < l.m);
    if (l.counts)
        put_score(p, l, edits);
    if (l.counts && p.again_keys != nullptr) {
        p.again_keys[l.index] = CUDA_GROUPING_NO_KEY;
        p.again_indices[l.index] = l.index;
    }
}

} // namespace

#endif
