/*
 * bscan_sweep.cuh - edit distances of a group of pairs, over their whole matrices: a warp
 * aligns a group of up to 32 pairs with the same query, one pair per thread.
 *
 * The rows are the bases of the query.  The warp shares their match masks in shared
 * memory: for each word w and each set of bases, the rows whose sets meet it.  They are
 * [w][16], so threads whose bases differ read different banks.
 *
 * The columns of a thread are the bases of its own target, read four at a time.  All
 * threads end in the same column, and those with shorter targets start later: columns in
 * front of the first base change nothing.
 *
 * Queries of more than 32 W rows are swept in strips of 32 W rows.  What crosses from a
 * strip to the next is kept in memory, 32 columns per word.
 */
#pragma once

#include "kernels/align/bscan/bscan_window.cuh"
#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

enum { LETTERS = 16, UNROLLED_MAX = 12 };

struct bscan_launch_t {
    cuda_set_t set;
    const pair_t *pairs;
    int *score;
    cuda_grouping_queue_t queue;
    long long unit_score, gap_cost; /* score = unit_score (m+n-e) - gap_cost (m+n) */
    border_t *borders;              /* [blocks][border_len][WARP] of strips */
    long long border_len;           /* in words of 32 columns */
    unsigned long long *retry_keys; /* [n] out: to align pairs again; may be NULL */
    int *retry_indices;
    unsigned long long *n_banded, *n_retried;
};

/* The pair of a thread. */
struct lane_pair_t {
    int index, query, m, n;
    const unsigned char *rows; /* the query, the same in all lanes */
    const unsigned char *end;  /* one past the target's last base */
    bool is_own; /* false: a copy of the group's last pair, which stores no result */
};

__device__ lane_pair_t pair_of_lane(const bscan_launch_t &p, cuda_pair_group_t group)
{
    const int lane = threadIdx.x;
    lane_pair_t l;

    l.is_own = lane < group.count;
    l.index = p.queue.order[group.first + min(lane, group.count - 1)];
    const pair_t pair = p.pairs[l.index];

    l.query = pair.query;
    l.m = p.set.len[pair.query];
    l.n = p.set.len[pair.target];
    l.rows = p.set.letters + p.set.start[pair.query];
    l.end = p.set.letters + p.set.start[pair.target] + l.n;
    return l;
}

/* @return the four bases that begin `left` columns before the target's end; 0 outside */
__device__ unsigned quad_of(const lane_pair_t &l, int left)
{
    return left <= 0 || left >= l.n + QUAD
               ? 0
               : *reinterpret_cast<const unsigned *>(l.end - left);
}

/* @return HP above the first row, of a thread that starts after `delay` columns */
__device__ unsigned delayed_hp(int delay)
{
    return __funnelshift_rc(ALL, 0, max(delay, 0));
}

/* @return in lane c: which of WARP rows, `step` apart, have sets that meet the set c */
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

/* A strip's place among the strips, and the memory between them. */
struct strip_t {
    border_t *border; /* this lane's word of the first 32 columns */
    bool first, last;
};

/* @return columns per iteration of the unrolled loop, whose code has to fit the cache */
constexpr __host__ __device__ int unrolled(int words)
{
    return words <= UNROLLED_MAX ? QUAD : 1;
}

/* Sweep the rows that the stripes hold over all columns. */
template <int W, bool STRIP>
__device__ void sweep_rows(stripes_t<W> &s, const lane_pair_t &l, int n_columns,
                           unsigned needed, const unsigned *masks, const strip_t &strip)
{
    constexpr int UNROLLED = unrolled(W);
    border_t above = {0, 0}, below = {0, 0};
    border_t *border = strip.border;
    unsigned letters = quad_of(l, n_columns);
    int delay = n_columns - l.n;

    for (int left = n_columns; left > 0; left -= QUAD) {
        unsigned quad = letters << 2; /* offsets into masks, in bytes */

        letters = quad_of(l, left - QUAD);
        if (!STRIP || (left % WARP == 0 && strip.first))
            above = {delayed_hp(delay), 0};
        else if (left % WARP == 0)
            above = *border;
        delay -= QUAD;
#pragma unroll UNROLLED
        for (int k = 0; k < QUAD; k++) {
            const masks_t<LETTERS> eq = {masks, quad & 0xff};

            bscan_column<W, STRIP>(s, eq, needed, above, below);
            quad >>= 8;
        }
        if (STRIP && left % WARP == QUAD) {
            if (!strip.last)
                *border = below;
            border += WARP;
        }
    }
}

/* Align the pairs of a group. */
template <int W, bool STRIP>
__device__ void align_whole(const bscan_launch_t &p, cuda_pair_group_t group,
                            unsigned *masks)
{
    const int lane = threadIdx.x, step = STRIP ? WARP : QUAD;
    const lane_pair_t l = pair_of_lane(p, group);
    const int n_columns = (cuda_warp_max(l.n) + step - 1) / step * step;
    const unsigned needed = STRIP ? ALL : (1u << max(l.m - 1, 0) / W) - 1;
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
        sweep_rows<W, STRIP>(s, l, n_columns, needed, masks, strip);
        edits += bscan_count(s, min(l.m - row0, WARP * W));
        strip.first = false;
        row0 += WARP * W;
    } while (STRIP && row0 < l.m);
    if (l.is_own)
        put_score(p, l, edits);
    if (l.is_own && p.retry_keys != nullptr) {
        p.retry_keys[l.index] = CUDA_GROUPING_NO_KEY;
        p.retry_indices[l.index] = l.index;
    }
}

} // namespace
