/*
 * filter_compact.cuh - packs the bits of the pairs that pass into a list of pairs, in
 * order (stream compaction): a warp counts the bits of a row, the counts are summed up,
 * and a warp writes the pairs of a row.
 */
#pragma once

#include "kernels/align/filter/filter_tile.cuh"

namespace
{

enum { ROW_BLOCK = 256, WARP = 32 };
constexpr unsigned ALL = 0xffffffffu;

struct compact_launch_t {
    const filter_tile_rect_t *rects;
    int n_rects;
    long long n_rows;
    const unsigned *bits;
    long long *n_of_row;        /* [n_rows + 1] */
    const long long *row_start; /* [n_rows + 1] into pairs */
    long long *rect_start;      /* [n_rects + 1] */
    pair_t *pairs;
};

/* The bits of a row. */
struct bit_row_t {
    const unsigned *words;
    int n_words;
    int row, col0;
};

__device__ bit_row_t bit_row_of(const compact_launch_t &p, long long at)
{
    const filter_tile_rect_t &r =
        p.rects[filter_tile_rect_of<&filter_tile_rect_t::row_start>(p.rects, p.n_rects,
                                                                    at)];
    const long long k = at - r.row_start;

    return bit_row_t{p.bits + r.word_start + k * r.words, r.words,
                     static_cast<int>(r.at.row0 + k), static_cast<int>(r.at.col0)};
}

__global__ void __launch_bounds__(ROW_BLOCK) count_rows(const compact_launch_t p)
{
    const long long at =
        (static_cast<long long>(blockIdx.x) * ROW_BLOCK + threadIdx.x) / WARP;
    int n = 0;

    if (at >= p.n_rows)
        return;
    const bit_row_t r = bit_row_of(p, at);

    for (int w = threadIdx.x % WARP; w < r.n_words; w += WARP)
        n += __popc(r.words[w]);
    n = cuda_warp_sum(n);
    if (threadIdx.x % WARP == 0)
        p.n_of_row[at] = n;
}

/* Find where each rectangle's pairs begin in the list. */
__global__ void __launch_bounds__(ROW_BLOCK) find_starts(const compact_launch_t p)
{
    const int k = blockIdx.x * ROW_BLOCK + threadIdx.x;

    if (k <= p.n_rects)
        p.rect_start[k] = p.row_start[k < p.n_rects ? p.rects[k].row_start : p.n_rows];
}

/* @return the sum of x over the lanes before this one */
__device__ int sum_before(int x, int lane)
{
    int sum = x;

    for (int distance = 1; distance < WARP; distance *= 2) {
        const int other = __shfl_up_sync(ALL, sum, distance);

        sum += lane >= distance ? other : 0;
    }
    return sum - x;
}

__global__ void __launch_bounds__(ROW_BLOCK) write_rows(const compact_launch_t p)
{
    const long long at =
        (static_cast<long long>(blockIdx.x) * ROW_BLOCK + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;

    if (at >= p.n_rows)
        return;
    const bit_row_t r = bit_row_of(p, at);
    long long to = p.row_start[at];

    for (int w = 0; w < r.n_words && to < p.row_start[at + 1]; w += WARP) {
        unsigned word = w + lane < r.n_words ? r.words[w + lane] : 0;
        const int n = __popc(word), before = sum_before(n, lane);

        for (int k = 0; word != 0; word &= word - 1, k++)
            p.pairs[to + before + k] =
                pair_t{r.row, r.col0 + (w + lane) * 32 + __ffs(word) - 1};
        to += __shfl_sync(ALL, before + n, WARP - 1);
    }
}

} // namespace
