/*
 * cuda_row.cuh - what threads, warps and blocks do with one row.
 *
 * An operation OP of the loops is one of two kinds.
 *
 * All lanes of a warp, or threads of a block, may call begin for one row: what it returns
 * must not change while a loop runs.
 *
 * For each arc (`is_sum` is false):
 *   typedef ... value_t;                              what a row keeps
 *   bool begin(int u, cuda_row_t<value_t> *row);      false: nothing to do
 *   void arc(const cuda_row_t<value_t> &row, uint32_t arc);
 * or, in place of arc, four steps, which loops run for several arcs at a time, so that
 * the reads of one arc do not wait for those of another:
 *   typedef ... fetched_t;                            has `int v`, the node it leads to
 *   void fetch(const cuda_row_t<value_t> &row, uint32_t arc, fetched_t *x);
 *   void look(fetched_t *x);                          reads what v has so far
 *   bool wants(const fetched_t &x);                   whether it is to act
 *   void act(const fetched_t &x);
 *
 * A sum per row (`is_sum` is true), in the shape of tree_sum.h over positions in the row:
 *   typedef no_value_t value_t; begin as above
 *   double term(uint32_t arc);
 *   void finish(int u, double sum);                   by one thread
 */
#pragma once

#include "kernels/graph/cuda/cuda_graph.cuh"

#include <type_traits>

enum { ROW_AHEAD = 4 }; /* arcs of a thread that are read at the same time */

struct no_value_t {
};

template <typename V> struct cuda_row_t {
    int node;
    uint32_t first, end; /* arcs */
    V value;
};

/* All arcs of a node. @return whether it has any */
template <typename V>
__device__ inline bool row_begin(const cuda_graph_t &g, int u, cuda_row_t<V> *row)
{
    row->node = u;
    row->first = g.first[u];
    row->end = g.first[u + 1];
    return row->first < row->end;
}

/* Subtrees whose right siblings have not come yet, as tree_sum_t. */
struct row_sum_t {
    uint32_t n;
    double level[32];
};

__device__ inline void row_sum_push(row_sum_t *s, double x)
{
    int k = 0;

    for (uint32_t n = s->n++; n & 1; n >>= 1)
        x = __dadd_rn(s->level[k++], x);
    s->level[k] = x;
}

__device__ inline double row_sum_total(const row_sum_t *s)
{
    double total = 0;
    int k = 0;

    for (uint32_t n = s->n; n != 0; n >>= 1, k++)
        if (n & 1)
            total = __dadd_rn(s->level[k], total);
    return total;
}

/* @return the sum of ROW_LANE_ARCS neighboring terms; those from end on count 0 */
template <typename TERM>
__device__ inline double row_sum_quad(TERM &term, uint32_t at, uint32_t end)
{
    double x[ROW_LANE_ARCS];

#pragma unroll
    for (uint32_t k = 0; k < ROW_LANE_ARCS; k++)
        x[k] = at + k < end ? term(at + k) : 0;
    return __dadd_rn(__dadd_rn(x[0], x[1]), __dadd_rn(x[2], x[3]));
}

/* @return the sum over the aligned group of `lanes` lanes, in each of them */
__device__ inline double row_sum_lanes(double x, int lanes, unsigned mask)
{
    for (int k = 1; k < lanes; k *= 2)
        x = __dadd_rn(x, __shfl_xor_sync(mask, x, k));
    return x;
}

/*
 * Add up the terms first .. end-1 by an aligned group of lanes, all of which call.
 *
 * @param lane  in the group
 * @return the sum, in each of them
 */
template <typename TERM>
__device__ inline double row_sum_group(TERM term, uint32_t first, uint32_t end, int lanes,
                                       int lane)
{
    const unsigned members =
        lanes == 32 ? ALL_LANES : ((1u << lanes) - 1) << (grid_lane() - lane);
    const uint32_t step = static_cast<uint32_t>(lanes) * ROW_LANE_ARCS;
    const uint32_t offset = static_cast<uint32_t>(lane) * ROW_LANE_ARCS;
    row_sum_t sum;

    if (end - first <= step)
        return __dadd_rn(row_sum_lanes(row_sum_quad(term, first + offset, end), lanes,
                                       members),
                         0);
    sum.n = 0;
    for (uint32_t at = first; at < end; at += step)
        row_sum_push(&sum,
                     row_sum_lanes(row_sum_quad(term, at + offset, end), lanes, members));
    return row_sum_total(&sum);
}

/* The same by a block. @param shared  [2 * THREADS / 32] */
template <int THREADS = GRID_THREADS, typename TERM>
__device__ inline double row_sum_block(TERM term, uint32_t first, uint32_t end,
                                       double *shared)
{
    enum { WARPS = THREADS / 32 };
    const uint32_t offset = threadIdx.x * ROW_LANE_ARCS;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    row_sum_t sum;
    int half = 0;

    sum.n = 0;
    for (uint32_t at = first; at < end; at += THREADS * ROW_LANE_ARCS) {
        double *of_warp = shared + half * WARPS;
        const double x =
            row_sum_lanes(row_sum_quad(term, at + offset, end), 32, ALL_LANES);

        if (grid_lane() == 0)
            of_warp[warp] = x;
        __syncthreads();
        row_sum_push(&sum, row_sum_lanes(of_warp[grid_lane() % WARPS], WARPS, ALL_LANES));
        half ^= 1;
    }
    __syncthreads(); /* before the next row writes */
    return row_sum_total(&sum);
}

template <class OP, typename = void> constexpr bool row_op_fetches = false;
template <class OP>
constexpr bool row_op_fetches<OP, std::void_t<typename OP::fetched_t>> = true;

/*
 * Visit up to ROW_AHEAD arcs.
 *
 * @param pick  bool(int k, cuda_row_t *row, uint32_t *arc): whether there is a k-th arc,
 *              and which; the threads that call visit call it for each k
 */
template <class OP, typename PICK>
__device__ __forceinline__ void row_visit(OP &op, PICK pick)
{
    cuda_row_t<typename OP::value_t> row;
    uint32_t arc;

    if constexpr (row_op_fetches<OP>) {
        typename OP::fetched_t x[ROW_AHEAD];
        unsigned todo = 0;

#pragma unroll
        for (int k = 0; k < ROW_AHEAD; k++) {
            x[k].v = -1;
            if (pick(k, &row, &arc))
                op.fetch(row, arc, &x[k]);
        }
#pragma unroll
        for (int k = 0; k < ROW_AHEAD; k++)
            if (x[k].v >= 0)
                op.look(&x[k]);
#pragma unroll
        for (int k = 0; k < ROW_AHEAD; k++)
            todo |= x[k].v >= 0 && op.wants(x[k]) ? 1u << k : 0;
        for (; todo != 0; todo &= todo - 1) { /* few; one act keeps kernels small */
            const int wanted = __ffs(static_cast<int>(todo)) - 1;
            typename OP::fetched_t y = x[0];

#pragma unroll
            for (int k = 1; k < ROW_AHEAD; k++)
                if (k == wanted)
                    y = x[k];
            op.act(y);
        }
    } else {
        for (int k = 0; k < ROW_AHEAD; k++)
            if (pick(k, &row, &arc))
                op.arc(row, arc);
    }
}

/* Visit arcs of a row: from, from + step, ... */
template <class OP>
__device__ __forceinline__ void row_visit_each(
    OP &op, const cuda_row_t<typename OP::value_t> &row, uint32_t from, uint32_t step)
{
    if constexpr (row_op_fetches<OP>) {
        for (uint32_t at = from; at < row.end; at += ROW_AHEAD * step)
            row_visit(op, [&](int k, cuda_row_t<typename OP::value_t> *r, uint32_t *arc) {
                *r = row;
                *arc = at + static_cast<uint32_t>(k) * step;
                return *arc < row.end;
            });
    } else {
        for (uint32_t at = from; at < row.end; at += step)
            op.arc(row, at);
    }
}

/* One row by an aligned group of lanes, all of which call. @param lane  in the group */
template <class OP>
__device__ inline void row_by_lanes(OP &op, const cuda_row_t<typename OP::value_t> &row,
                                    int lanes, int lane)
{
    if constexpr (OP::is_sum) {
        const double sum = row_sum_group([&](uint32_t a) { return op.term(a); },
                                         row.first, row.end, lanes, lane);

        if (lane == 0)
            op.finish(row.node, sum);
    } else {
        row_visit_each(op, row, row.first + static_cast<uint32_t>(lane),
                       static_cast<uint32_t>(lanes));
    }
}

/* One row by a thread. */
template <class OP>
__device__ inline void row_by_thread(OP &op, const cuda_row_t<typename OP::value_t> &row)
{
    if constexpr (OP::is_sum) {
        op.finish(row.node, row_sum_group([&](uint32_t a) { return op.term(a); },
                                          row.first, row.end, 1, 0));
    } else {
        row_visit_each(op, row, row.first, 1);
    }
}

/* One row by a warp, whose lanes all call. */
template <class OP>
__device__ inline void row_by_warp(OP &op, const cuda_row_t<typename OP::value_t> &row)
{
    row_by_lanes(op, row, 32, grid_lane());
    __syncwarp();
}

/* One row by a block, whose threads all call. @param shared  [2 * THREADS / 32] */
template <int THREADS = GRID_THREADS, class OP>
__device__ inline void row_by_block(OP &op, const cuda_row_t<typename OP::value_t> &row,
                                    double *shared)
{
    if constexpr (OP::is_sum) {
        const double sum = row_sum_block<THREADS>([&](uint32_t a) { return op.term(a); },
                                                  row.first, row.end, shared);

        if (threadIdx.x == 0)
            op.finish(row.node, sum);
    } else {
        row_visit_each(op, row, row.first + threadIdx.x, THREADS);
    }
}

/* @return the row that a lane of the warp has, in every lane */
template <typename V>
__device__ inline cuda_row_t<V> row_of_lane(const cuda_row_t<V> &row, int lane)
{
    cuda_row_t<V> r;

    r.node = __shfl_sync(ALL_LANES, row.node, lane);
    r.first = __shfl_sync(ALL_LANES, row.first, lane);
    r.end = __shfl_sync(ALL_LANES, row.end, lane);
    if constexpr (sizeof(V) >= 4)
        r.value = __shfl_sync(ALL_LANES, row.value, lane);
    return r;
}

/* Long rows by the warp; the arcs of the short ones are put together, and the warp takes
 * 32 of them at a time (Merrill et al. 2012). */
template <class OP>
__device__ void row_gather(OP &op, const cuda_row_t<typename OP::value_t> &row, bool has,
                           uint32_t lb_threshold)
{
    const uint32_t degree = has ? row.end - row.first : 0;
    const uint32_t mine = degree <= lb_threshold ? degree : 0;
    uint32_t until = mine, total;

    for (unsigned todo = __ballot_sync(ALL_LANES, degree > lb_threshold); todo != 0;
         todo &= todo - 1)
        row_by_warp(op, row_of_lane(row, __ffs(static_cast<int>(todo)) - 1));
    for (int k = 1; k < 32; k *= 2) {
        const uint32_t x = __shfl_up_sync(ALL_LANES, until, k);

        until += grid_lane() >= k ? x : 0;
    }
    total = __shfl_sync(ALL_LANES, until, 31);
    for (uint32_t base = 0; base < total; base += 32 * ROW_AHEAD) {
        row_visit(op, [&](int k, cuda_row_t<typename OP::value_t> *r, uint32_t *arc) {
            const uint32_t at = base + static_cast<uint32_t>(32 * k + grid_lane());
            int owner = 0;

            if (base + 32 * static_cast<uint32_t>(k) >= total)
                return false;
            for (int step = 16; step > 0; step /= 2)
                owner += __shfl_sync(ALL_LANES, until, owner + step - 1) <= at ? step : 0;
            owner = min(owner, 31);
            *r = row_of_lane(row, owner);
            *arc = r->first + (at - __shfl_sync(ALL_LANES, until - mine, owner));
            return at < total;
        });
        __syncwarp();
    }
}

/* @return how many of the ascending starts are at most x; starts[0] is */
__device__ inline int row_rank(const uint32_t *starts, int n, uint32_t x)
{
    int low = 0;

    while (n > 1) {
        const int half = n / 2;

        low += starts[low + half] <= x ? half : 0;
        n -= half;
    }
    return low;
}

/* The same by a block, whose threads all call. */
__device__ inline int row_rank_block(const uint32_t *starts, int n, uint32_t x)
{
    int low = 0;

    while (n > 1) {
        const int step = (n + GRID_THREADS - 1) / GRID_THREADS;
        const int64_t k = static_cast<int64_t>(threadIdx.x) * step;
        const int n_before =
            __syncthreads_count(k < n && grid_read(&starts[low + k]) <= x);

        low += (n_before - 1) * step;
        n = min(step, n - (n_before - 1) * step);
    }
    return low;
}
