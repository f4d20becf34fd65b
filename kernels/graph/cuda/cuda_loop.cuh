/*
 * cuda_loop.cuh - the templates of the loop "for each node of a set, for each of its
 * arcs" (graph_spec.h), on operations as in cuda_row.cuh.
 *
 * All threads of the grid call loop_run.  Templates that pass nodes on through queues
 * have a barrier of the grid inside; none ends with one.
 */
#pragma once

#include "kernels/graph/cuda/cuda_row.cuh"

enum {
    LOOP_SEGMENT_ARCS = 2048, /* a longer row is cut into segments of this length */
    LOOP_TILES = 4            /* parts of a queue per warp, which even out long rows */
};

/* @return the elements that loops need in cuda_loop_t.large and .start: one per node, or
 *         one per segment */
inline int64_t loop_list_size(int64_t n_nodes, int64_t n_arcs)
{
    const int64_t n_segments = 2 * n_arcs / LOOP_SEGMENT_ARCS + 1;

    return n_nodes > n_segments ? n_nodes : n_segments;
}

struct loop_shared_t {
    double sums[2 * GRID_WARPS];
    int large[GRID_THREADS];
    int n_large;
    union {
        double terms[CHUNK_ARCS];
        struct {
            int node[GRID_THREADS];
            uint32_t start[GRID_THREADS]; /* its place among all arcs of the set */
            uint32_t first[GRID_THREADS], end[GRID_THREADS], offset[GRID_THREADS];
            double value[GRID_THREADS]; /* of the row's type */
        } rows;
    };
};

/* @return the node of a place in the set, or -1; of bits, 32 neighboring places are read
 *         by the lanes of one warp, all of which call */
__device__ inline int loop_node(const cuda_set_t &set, int64_t i)
{
    if (set.bits != nullptr) {
        const int64_t w = i >> 5;
        const uint32_t word = i < set.n ? grid_read(&set.bits[w]) : 0;

        __syncwarp();
        if (word != 0 && grid_lane() == 0)
            set.bits[w] = 0;
        return word >> grid_lane() & 1 ? static_cast<int>(i) : -1;
    }
    if (i >= set.n)
        return -1;
    return set.queue != nullptr ? grid_read(&set.queue[i]) : static_cast<int>(i);
}

template <class OP> __device__ inline uint32_t loop_degree(const OP &op, int u)
{
    return op.g.first[u + 1] - op.g.first[u];
}

template <class OP> __device__ void loop_threads(OP &op, const cuda_set_t &set)
{
    cuda_row_t<typename OP::value_t> row;

    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads()) {
        const int u = loop_node(set, tile + threadIdx.x);

        if (u >= 0 && op.begin(u, &row))
            row_by_thread(op, row);
    }
}

/* A warp takes a node of a queue, or a word of bits. */
template <class OP> __device__ void loop_warps(OP &op, const cuda_set_t &set)
{
    cuda_row_t<typename OP::value_t> row;

    if (set.bits == nullptr) {
        for (int64_t i = grid_warp(); i < set.n; i += grid_n_warps())
            if (op.begin(loop_node(set, i), &row))
                row_by_warp(op, row);
        return;
    }
    for (int64_t i = grid_warp() * 32; i < set.n; i += grid_n_threads()) {
        const int u = loop_node(set, i + grid_lane());

        for (unsigned todo = __ballot_sync(ALL_LANES, u >= 0); todo != 0;
             todo &= todo - 1)
            if (op.begin(static_cast<int>(i) + __ffs(static_cast<int>(todo)) - 1, &row))
                row_by_warp(op, row);
    }
}

/* A block takes a node of a queue, or a word of bits. */
template <class OP>
__device__ void loop_blocks(OP &op, const cuda_set_t &set, loop_shared_t *shared)
{
    cuda_row_t<typename OP::value_t> row;

    if (set.bits == nullptr) {
        for (int64_t i = blockIdx.x; i < set.n; i += gridDim.x)
            if (op.begin(loop_node(set, i), &row))
                row_by_block(op, row, shared->sums);
        return;
    }
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * 32; i < set.n;
         i += static_cast<int64_t>(gridDim.x) * 32) {
        uint32_t todo = grid_read(&set.bits[i >> 5]);

        __syncthreads();
        if (todo != 0 && threadIdx.x == 0)
            set.bits[i >> 5] = 0;
        for (; todo != 0; todo &= todo - 1)
            if (op.begin(static_cast<int>(i) + __ffs(static_cast<int>(todo)) - 1, &row))
                row_by_block(op, row, shared->sums);
    }
}

/* Rows above the threshold go to a buffer in shared memory, which the block takes next.
 */
template <class OP>
__device__ void loop_dbuf_shared(OP &op, const cuda_set_t &set, uint32_t lb_threshold,
                                 loop_shared_t *shared)
{
    cuda_row_t<typename OP::value_t> row;

    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads()) {
        const int u = loop_node(set, tile + threadIdx.x);

        if (threadIdx.x == 0)
            shared->n_large = 0;
        __syncthreads();
        if (u >= 0 && op.begin(u, &row)) {
            if (row.end - row.first > lb_threshold)
                shared->large[atomicAdd(&shared->n_large, 1)] = u;
            else
                row_by_thread(op, row);
        }
        __syncthreads();
        for (int k = 0; k < shared->n_large; k++)
            if (op.begin(shared->large[k], &row))
                row_by_block(op, row, shared->sums);
        __syncthreads();
    }
}

/* dual-queue: all nodes go to one of two queues; dbuf-global: only large ones do. */
template <class OP>
__device__ void loop_two_queues(OP &op, const cuda_set_t &set, const cuda_loop_t &loop,
                                bool both, int turn, loop_shared_t *shared)
{
    cuda_row_t<typename OP::value_t> row;
    unsigned *tail = reinterpret_cast<unsigned *>(&loop.tail[turn % 3]);

    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads()) {
        const int u = loop_node(set, tile + threadIdx.x);

        if (u < 0 || !op.begin(u, &row))
            continue;
        if (row.end - row.first > loop.lb_threshold)
            loop.large[grid_append(&tail[1])] = u;
        else if (both)
            loop.small[grid_append(&tail[0])] = u;
        else
            row_by_thread(op, row);
    }
    grid_sync();
    loop_blocks(op, {loop.large, nullptr, static_cast<int>(grid_read(&tail[1]))}, shared);
    if (both)
        loop_threads(op, {loop.small, nullptr, static_cast<int>(grid_read(&tail[0]))});
}

/* Nodes and their first places among all arcs of the set.  Each warp reserves places for
 * its nodes and their arcs by one addition, so that both ascend together. */
template <class OP>
__device__ void loop_list_rows(OP &op, const cuda_set_t &set, const cuda_loop_t &loop,
                               unsigned long long *tail)
{
    for (int64_t tile = static_cast<int64_t>(blockIdx.x) * GRID_THREADS; tile < set.n;
         tile += grid_n_threads()) {
        const int u = loop_node(set, tile + threadIdx.x);
        const uint32_t degree = u >= 0 ? loop_degree(op, u) : 0;
        const unsigned has = __ballot_sync(ALL_LANES, degree > 0);
        uint32_t before = degree;
        unsigned long long place = 0;

        for (int k = 1; k < 32; k *= 2) {
            const uint32_t x = __shfl_up_sync(ALL_LANES, before, k);

            before += grid_lane() >= k ? x : 0;
        }
        if (grid_lane() == 31 && has != 0)
            place = atomicAdd(tail, static_cast<unsigned long long>(before) << 32 |
                                        static_cast<unsigned>(__popc(has)));
        place = __shfl_sync(ALL_LANES, place, 31);
        if (degree > 0) {
            const uint32_t k =
                static_cast<uint32_t>(place) +
                static_cast<uint32_t>(__popc(has & ((1u << grid_lane()) - 1)));

            loop.small[k] = u;
            loop.start[k] = static_cast<uint32_t>(place >> 32) + before - degree;
        }
    }
}

/* Read the rows of a tile, from the row `low`. */
template <class OP>
__device__ void loop_read_rows(OP &op, const cuda_loop_t &loop, int low, int n_rows,
                               uint32_t end, loop_shared_t *shared)
{
    static_assert(sizeof(typename OP::value_t) <= sizeof(double), "value");
    const int k = low + static_cast<int>(threadIdx.x), at = static_cast<int>(threadIdx.x);
    const uint32_t start = k < n_rows ? grid_read(&loop.start[k]) : end;
    cuda_row_t<typename OP::value_t> row = {};

    if (start < end) {
        const int u = grid_read(&loop.small[k]);

        if (!op.begin(u, &row))
            row.first = row.end = 0;
        shared->rows.offset[at] = op.g.first[u] - start;
    }
    shared->rows.start[at] = start;
    shared->rows.node[at] = row.node;
    shared->rows.first[at] = row.first;
    shared->rows.end[at] = row.end;
    if constexpr (sizeof(row.value) >= 4)
        memcpy(&shared->rows.value[at], &row.value, sizeof(row.value));
}

/* merge-path: blocks take equal numbers of neighboring arcs, whatever rows they are of,
 * in tiles of as many rows as a block has threads, and ROW_AHEAD arcs per thread. */
template <class OP>
__device__ void loop_merge_path(OP &op, const cuda_set_t &set, const cuda_loop_t &loop,
                                int turn, loop_shared_t *shared)
{
    typedef typename OP::value_t value_t;
    unsigned long long *tail = &loop.tail[turn % 3], total;
    uint32_t n_arcs, share, at, end;
    int n_rows, low;

    loop_list_rows(op, set, loop, tail);
    grid_sync();
    total = grid_read(tail);
    n_rows = static_cast<int>(total & 0xffffffffu);
    n_arcs = static_cast<uint32_t>(total >> 32);
    share = max(n_arcs / gridDim.x + 1, static_cast<uint32_t>(GRID_THREADS));
    if (static_cast<uint64_t>(share) * blockIdx.x >= n_arcs)
        return;
    at = share * blockIdx.x;
    end = at + min(share, n_arcs - at);
    low = row_rank_block(loop.start, n_rows, at);
    while (at < end) {
        const int n = min(n_rows - low, static_cast<int>(GRID_THREADS));
        uint32_t until = min(end, at + ROW_AHEAD * GRID_THREADS);

        if (low + n < n_rows)
            until = min(until, grid_read(&loop.start[low + n]));
        loop_read_rows(op, loop, low, n_rows, end, shared);
        __syncthreads();
        row_visit(op, [&](int k, cuda_row_t<value_t> *row, uint32_t *arc) {
            const uint32_t place =
                at + static_cast<uint32_t>(k) * GRID_THREADS + threadIdx.x;
            const int r = place < until ? row_rank(shared->rows.start, n, place) : 0;

            row->node = shared->rows.node[r];
            row->first = shared->rows.first[r];
            row->end = shared->rows.end[r];
            if constexpr (sizeof(value_t) >= 4)
                memcpy(&row->value, &shared->rows.value[r], sizeof(value_t));
            *arc = place + shared->rows.offset[r];
            return place < until && *arc >= row->first && *arc < row->end;
        });
        low += row_rank(shared->rows.start, n, until);
        at = until;
        __syncthreads();
    }
}

/* List a long row as segments. */
template <class OP>
__device__ void loop_list_segments(const OP &op, int u, const cuda_loop_t &loop,
                                   unsigned *n)
{
    const uint32_t n_segments = (loop_degree(op, u) + LOOP_SEGMENT_ARCS - 1) /
                                static_cast<uint32_t>(LOOP_SEGMENT_ARCS);
    const unsigned place = atomicAdd(n, n_segments);

    for (uint32_t k = 0; k < n_segments; k++) {
        loop.large[place + k] = u;
        loop.start[place + k] = op.g.first[u] + k * LOOP_SEGMENT_ARCS;
    }
}

/* A block takes a segment. */
template <class OP>
__device__ void loop_segments(OP &op, const cuda_loop_t &loop, unsigned n,
                              loop_shared_t *shared)
{
    for (unsigned k = blockIdx.x; k < n; k += gridDim.x) {
        const uint32_t first = grid_read(&loop.start[k]);
        cuda_row_t<typename OP::value_t> row;

        if (!op.begin(grid_read(&loop.large[k]), &row))
            continue;
        row.first = max(row.first, first);
        row.end = min(row.end, first + LOOP_SEGMENT_ARCS);
        row_by_block(op, row, shared->sums);
    }
}

/* The default: a warp takes up to 32 nodes, fewer if there are few, one by one where
 * there are fewer nodes than warps; rows of more arcs than a warp should have alone are
 * put off as segments, which all blocks share. */
template <class OP>
__device__ void loop_balanced(OP &op, const cuda_set_t &set, const cuda_loop_t &loop,
                              int turn, loop_shared_t *shared)
{
    const bool has_long = op.g.max_degree > LOOP_SEGMENT_ARCS;
    unsigned *n_long = reinterpret_cast<unsigned *>(&loop.tail[turn % 3]);
    const int n_tiles = op.g.n_arcs / 32 > static_cast<uint32_t>(op.g.n_nodes)
                            ? static_cast<int>(LOOP_TILES)
                            : 1;
    const int64_t per_warp = set.n / (n_tiles * grid_n_warps()) + 1;
    const int width =
        set.queue == nullptr || per_warp > 32 ? 32 : static_cast<int>(per_warp);

    if (!has_long && set.queue != nullptr && set.n <= grid_n_warps())
        return loop_warps(op, set);
    for (int64_t i = grid_warp() * width; i < set.n; i += grid_n_warps() * width) {
        cuda_row_t<typename OP::value_t> row = {};
        const int u = set.queue == nullptr || grid_lane() < width
                          ? loop_node(set, i + grid_lane())
                          : -1;
        bool has = u >= 0 && op.begin(u, &row);

        if (has && has_long && row.end - row.first > LOOP_SEGMENT_ARCS) {
            loop_list_segments(op, u, loop, n_long);
            has = false;
        }
        __syncwarp();
        row_gather(op, row, has, loop.lb_threshold);
    }
    if (!has_long)
        return;
    grid_sync();
    loop_segments(op, loop, grid_read(n_long), shared);
}

/* merge-path of sums: chunks of pieces of rows, whose terms are first put into shared
 * memory; the sums of a cut row's pieces are added after a barrier. */
template <class OP>
__device__ void loop_merge_sums(OP &op, const cuda_plan_t &plan, loop_shared_t *shared)
{
    for (int chunk = static_cast<int>(blockIdx.x); chunk < plan.n_chunks;
         chunk += static_cast<int>(gridDim.x)) {
        const int low = plan.chunk_piece[chunk], n = plan.chunk_piece[chunk + 1] - low;
        const uint32_t first = plan.piece_first[low], end = plan.piece_first[low + n];
        int lanes = 1;

        while (lanes < 32 && lanes * 2 * n <= GRID_THREADS)
            lanes *= 2;
        for (uint32_t a = first + threadIdx.x; a < end; a += GRID_THREADS)
            shared->terms[a - first] = op.term(a);
        __syncthreads();
        for (int k = static_cast<int>(threadIdx.x) / lanes; k < n;
             k += GRID_THREADS / lanes) {
            const int p = low + k, lane = static_cast<int>(threadIdx.x) % lanes;
            const double sum =
                row_sum_group([&](uint32_t a) { return shared->terms[a - first]; },
                              plan.piece_first[p], plan.piece_first[p + 1], lanes, lane);

            if (lane == 0 && plan.piece_sum[p] < 0)
                op.finish(plan.piece_node[p], sum);
            else if (lane == 0)
                plan.sums[plan.piece_sum[p]] = sum;
        }
        __syncthreads();
    }
    if (plan.n_cut == 0)
        return;
    grid_sync();
    for (int64_t k = grid_warp(); k < plan.n_cut; k += grid_n_warps()) {
        const double sum =
            row_sum_group([&](uint32_t i) { return grid_read(&plan.sums[i]); },
                          static_cast<uint32_t>(plan.cut_sum[k]),
                          static_cast<uint32_t>(plan.cut_sum[k + 1]), 32, grid_lane());

        if (grid_lane() == 0)
            op.finish(plan.cut_node[k], sum);
    }
}

/* The default of sums: rows by classes of length, the longest first. */
template <class OP>
__device__ void loop_classes(OP &op, const cuda_plan_t &plan, loop_shared_t *shared)
{
    const int *of = plan.class_first;
    cuda_row_t<typename OP::value_t> row;

    if (plan.order == nullptr) {
        loop_threads(op, {nullptr, nullptr, op.g.n_nodes});
        return;
    }
    loop_blocks(op,
                {plan.order + of[ROW_CLASS_BLOCK], nullptr,
                 of[ROW_CLASS_BLOCK + 1] - of[ROW_CLASS_BLOCK]},
                shared);
    loop_warps(op, {plan.order + of[ROW_CLASS_WARP], nullptr,
                    of[ROW_CLASS_WARP + 1] - of[ROW_CLASS_WARP]});
    for (int c = ROW_CLASS_WARP - 1; c >= 0; c--) {
        const int lanes = 1 << c, lane = grid_lane() % lanes;

        for (int64_t k = of[c] + grid_thread() / lanes; k < of[c + 1];
             k += grid_n_threads() / lanes) {
            double sum;

            op.begin(plan.order[k], &row);
            sum = row_sum_group([&](uint32_t a) { return op.term(a); }, row.first,
                                row.end, lanes, lane);
            if (lane == 0)
                op.finish(row.node, sum);
        }
    }
}

/*
 * Run an operation on a set.
 *
 * @param plan  of sums, on all nodes
 * @param turn  the number of calls before this one in the kernel; barriers of the grid
 *              separate calls
 */
template <class OP>
__device__ void loop_run(OP &op, const cuda_set_t &set, const cuda_loop_t &loop,
                         const cuda_plan_t *plan, int turn, loop_shared_t *shared)
{
    if (grid_is_first())
        loop.tail[(turn + 1) % 3] = 0;
    switch (loop.form) {
    case GRAPH_THREAD_MAPPED:
        return loop_threads(op, set);
    case GRAPH_WARP_MAPPED:
        return loop_warps(op, set);
    case GRAPH_BLOCK_MAPPED:
        return loop_blocks(op, set, shared);
    case GRAPH_DUAL_QUEUE:
        return loop_two_queues(op, set, loop, true, turn, shared);
    case GRAPH_DBUF_GLOBAL:
        return loop_two_queues(op, set, loop, false, turn, shared);
    case GRAPH_DBUF_SHARED:
        return loop_dbuf_shared(op, set, loop.lb_threshold, shared);
    case GRAPH_MERGE_PATH:
        if constexpr (OP::is_sum)
            return loop_merge_sums(op, *plan, shared);
        else
            return loop_merge_path(op, set, loop, turn, shared);
    default:
        if constexpr (OP::is_sum)
            return loop_classes(op, *plan, shared);
        else
            return loop_balanced(op, set, loop, turn, shared);
    }
}
