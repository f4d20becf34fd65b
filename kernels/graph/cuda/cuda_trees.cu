/*
 * cuda_trees.cu - trees from their leaves upwards.
 *
 * Descendants and heights: most nodes are leaves, whose values are known.  So a node with
 * children begins as if these were leaves, and only nodes with children, which are listed
 * in the same pass, look for those of their children that have children, too.  Nodes
 * without such a child climb: each passes what it has found to its parent, and goes on
 * with the parent only if all other children have been there.  Each node is visited once,
 * at any depth, and no level waits for another.
 *
 * Counts of a sample: leaves themselves climb.  The lanes of a warp whose leaves have the
 * same parent add to it together, which neighboring leaves often have.
 */
#include "kernels/graph/cuda/cuda_trees.cuh"

#include <algorithm>

namespace
{

/* What is known of a node; passed to kernels by value. */
struct sums_t {
    int *descendants, *leaves; /* [n_nodes] */

    /* As if all children were leaves. */
    __device__ void start(int64_t u, int n_children) const
    {
        descendants[u] = n_children;
        leaves[u] = n_children > 0 ? n_children : 1;
    }

    /* Add what a child has that is no leaf. */
    __device__ void pass_up(int u, int up) const
    {
        atomicAdd(&descendants[up], grid_read(&descendants[u]));
        atomicAdd(&leaves[up], grid_read(&leaves[u]) - 1);
    }
};

struct heights_t {
    int *height; /* [n_nodes] */

    __device__ void start(int64_t u, int n_children) const
    {
        height[u] = n_children > 0;
    }

    __device__ void pass_up(int u, int up) const
    {
        atomicMax(&height[up], grid_read(&height[u]) + 1);
    }
};

/* What climbing needs; passed to kernels by value. */
struct climb_t {
    int *parent, *missing; /* [n_nodes] of nodes with children: children that are not
                            * done, and have children */
    int *inner, *start;    /* nodes with children; those of them without such a child */
    unsigned *n_inner, *n_start;
};

/* An operation of loop_run on nodes with children. */
struct inner_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    int *parent, *missing;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a) const
    {
        const int child = g.to[a];

        if (g.first[child] == g.first[child + 1])
            return;
        parent[child] = row.node;
        atomicAdd(&missing[row.node], 1);
    }
};

enum { NODES_AHEAD = 8 }; /* nodes that a thread reads at the same time */

/* Set all values, and list the nodes with children: one addition per warp's tile. */
template <class V>
__global__ void __launch_bounds__(GRID_THREADS)
    begin_kernel(cuda_graph_t g, V values, climb_t c)
{
    constexpr int64_t tile = 32 * NODES_AHEAD;

    for (int64_t at = grid_warp() * tile; at < g.n_nodes; at += grid_n_warps() * tile) {
        int n_children[NODES_AHEAD];
        unsigned n = 0, place = 0;

#pragma unroll
        for (int k = 0; k < NODES_AHEAD; k++) {
            const int64_t u = at + 32 * k + grid_lane();

            n_children[k] =
                u < g.n_nodes ? static_cast<int>(g.first[u + 1] - g.first[u]) : 0;
        }
#pragma unroll
        for (int k = 0; k < NODES_AHEAD; k++) {
            const int64_t u = at + 32 * k + grid_lane();

            if (u < g.n_nodes)
                values.start(u, n_children[k]);
            n += static_cast<unsigned>(
                __popc(__ballot_sync(ALL_LANES, n_children[k] > 0)));
        }
        if (n == 0)
            continue;
        if (grid_lane() == 0)
            place = atomicAdd(c.n_inner, n);
        place = __shfl_sync(ALL_LANES, place, 0);
#pragma unroll
        for (int k = 0; k < NODES_AHEAD; k++) {
            const unsigned mask = __ballot_sync(ALL_LANES, n_children[k] > 0);
            const int u = static_cast<int>(at) + 32 * k + grid_lane();

            if (n_children[k] > 0) {
                c.parent[u] = -1;
                c.missing[u] = 0;
                c.inner[place + static_cast<unsigned>(
                                    __popc(mask & ((1u << grid_lane()) - 1)))] = u;
            }
            place += static_cast<unsigned>(__popc(mask));
        }
    }
}

template <class V> __device__ void climb(const V &values, const climb_t &c, int u)
{
    for (;;) {
        const int up = grid_read(&c.parent[u]);

        if (up < 0)
            return;
        values.pass_up(u, up);
        if (!trees_are_last(&c.missing[up], 1))
            return;
        u = up;
    }
}

template <class V>
GRID_KERNEL climb_kernel(cuda_graph_t g, cuda_loop_t loop, V values, climb_t c,
                         unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    inner_op_t op = {g, c.parent, c.missing};
    const unsigned n = grid_read(c.n_inner);

    loop_run(op, {c.inner, nullptr, static_cast<int>(n)}, loop, nullptr, 0, &shared);
    grid_sync();
    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        const int u = c.inner[i];

        if (grid_read(&c.missing[u]) == 0)
            c.start[grid_append(c.n_start)] = u;
    }
    grid_sync();
    for (int64_t i = grid_thread(), end = grid_read(c.n_start); i < end;
         i += grid_n_threads())
        climb(values, c, grid_read(&c.start[i]));
    if (grid_is_first())
        *visited = g.first[g.n_nodes];
}

/* ---- counts of a sample ---- */

/* The counts of a sample. */
struct counts_t {
    unsigned long long *count; /* [n_nodes] */
    const int *leaf;           /* [n_given] those whose counts are not 0 */
    const int64_t *given;
    int64_t n_given;

    /* Between two barriers. */
    __device__ void begin() const
    {
        for (int64_t i = grid_thread(); i < n_given; i += grid_n_threads())
            count[leaf[i]] = static_cast<unsigned long long>(given[i]);
    }

    /* @param u  -1: a lane without a leaf */
    __device__ unsigned long long gather(unsigned siblings, int u) const
    {
        const unsigned long long own = u >= 0 ? grid_read(&count[u]) : 0;
        unsigned long long sum = 0;

        if (siblings == ALL_LANES)
            return warp_add(own);
        for (unsigned left = siblings; left != 0; left &= left - 1)
            sum += __shfl_sync(siblings, own, __ffs(static_cast<int>(left)) - 1);
        return sum;
    }

    __device__ void add_leaves(int up, unsigned long long sum) const
    {
        if (sum != 0)
            atomicAdd(&count[up], sum);
    }

    __device__ void pass_up(int u, int up) const
    {
        add_leaves(up, grid_read(&count[u]));
    }
};

template <class V> struct trees_t : cuda_state_t {
    V values;
    int *parent, *missing; /* [n_nodes]; children that are not done */
};

/* Lanes without a leaf have a leaf and a parent of -1. */
__device__ void climb_leaves(const counts_t &values, const int *parent, int *missing,
                             int leaf, int up)
{
    const unsigned siblings = __match_any_sync(ALL_LANES, up);
    const unsigned long long gathered = values.gather(siblings, leaf);
    const int n = __popc(siblings);

    if (up < 0 || grid_lane() != __ffs(static_cast<int>(siblings)) - 1)
        return;
    values.add_leaves(up, gathered);
    for (int done = n; trees_are_last(&missing[up], done); done = 1) {
        const int u = up;

        if ((up = parent[u]) < 0)
            return;
        values.pass_up(u, up);
    }
}

GRID_KERNEL counts_kernel(cuda_graph_t g, cuda_loop_t loop, counts_t values, int *parent,
                          int *missing, unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    trees_parent_t op = {g, parent};

    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        const int n_children = static_cast<int>(g.first[u + 1] - g.first[u]);

        parent[u] = -1;
        missing[u] = n_children;
        values.count[u] = 0;
    }
    grid_sync();
    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, nullptr, 0, &shared);
    values.begin();
    grid_sync();
    for (int64_t i = grid_warp() * 32; i < g.n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const bool is_leaf = u < g.n_nodes && g.first[u] == g.first[u + 1];

        climb_leaves(values, parent, missing, is_leaf ? static_cast<int>(u) : -1,
                     is_leaf ? parent[u] : -1);
        __syncwarp();
    }
    if (grid_is_first())
        *visited = g.first[g.n_nodes];
}

template <class V> status_t create_trees(trees_t<V> *s)
{
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->parent);
    return st == ST_OK ? cuda_memory_new(&s->memory, s->g.n_nodes, &s->missing) : st;
}

/* Descendants and leaves, and the counts of samples. */
struct descendants_t : trees_t<sums_t> {
    counts_t counts;
};

status_t create_counts(descendants_t *s, const leaf_counts_t *leaves)
{
    status_t st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->counts.count);

    if (st == ST_OK)
        st = cuda_memory_put(&s->memory, leaves->node, leaves->n, &s->counts.leaf);
    return st == ST_OK
               ? cuda_memory_put(&s->memory, leaves->count, leaves->n, &s->counts.given)
               : st;
}

status_t create_descendants(cuda_state_t *state)
{
    descendants_t *s = static_cast<descendants_t *>(state);
    const leaf_counts_t *leaves = s->context.spec->leaves;
    status_t st = create_trees(s);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.descendants);
    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.leaves);
    return st == ST_OK && leaves != nullptr && leaves->n_samples > 0
               ? create_counts(s, leaves)
               : st;
}

status_t create_heights(cuda_state_t *state)
{
    trees_t<heights_t> *s = static_cast<trees_t<heights_t> *>(state);
    status_t st = create_trees(s);

    return st == ST_OK ? cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.height)
                       : st;
}

template <class V> status_t launch(trees_t<V> *s)
{
    const frontier_t &f = s->frontier;
    const climb_t c = {s->parent, s->missing, f.queue[0], f.queue[1], &f.n[0], &f.n[1]};
    const int tiles = s->g.n_nodes / (NODES_AHEAD * GRID_THREADS) + 1;
    const int blocks = std::min(tiles, 8 * cuda_cores(s));
    status_t st = grid_launch_each(begin_kernel<V>, blocks, s->g, s->values, c);

    return st == ST_OK ? grid_launch(climb_kernel<V>, cuda_cores(s), s->g, s->loop,
                                     s->values, c, f.visited)
                       : st;
}

status_t launch_heights(cuda_state_t *state, const graph_task_t *)
{
    trees_t<heights_t> *s = static_cast<trees_t<heights_t> *>(state);

    return launch(s);
}

status_t launch_descendants(cuda_state_t *state, const graph_task_t *task)
{
    descendants_t *s = static_cast<descendants_t *>(state);
    counts_t counts = s->counts;

    if (task->sample == 0)
        return launch<sums_t>(s);
    const int64_t *first = &s->context.spec->leaves->first[task->sample - 1];
    counts.leaf += first[0];
    counts.given += first[0];
    counts.n_given = first[1] - first[0];
    return grid_launch(counts_kernel, cuda_cores(s), s->g, s->loop, counts, s->parent,
                       s->missing, s->frontier.visited);
}

/* Copy a column of a result to the host. */
status_t get_column(const cuda_state_t *s, graph_result_t *out, int column,
                    const int *values)
{
    return cuda_get(static_cast<int *>(out->column[column]), values, s->g.n_nodes);
}

status_t fetch_descendants(cuda_state_t *state, const graph_task_t *task,
                           graph_result_t *out)
{
    const descendants_t *s = static_cast<const descendants_t *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    if (st == ST_OK && task->sample > 0)
        return cuda_get(out->count, s->counts.count, s->g.n_nodes);
    if (st == ST_OK)
        st = get_column(s, out, 0, s->values.descendants);
    return st == ST_OK ? get_column(s, out, 1, s->values.leaves) : st;
}

status_t fetch_heights(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const trees_t<heights_t> *s = static_cast<const trees_t<heights_t> *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    return st == ST_OK ? get_column(s, out, 0, s->values.height) : st;
}

} // namespace

const cuda_algorithm_t cuda_descendants = {sizeof(descendants_t),
                                           false,
                                           GRAPH_CHOICE_TEMPLATE,
                                           create_descendants,
                                           launch_descendants,
                                           fetch_descendants,
                                           nullptr};

const cuda_algorithm_t cuda_heights = {sizeof(trees_t<heights_t>),
                                       false,
                                       GRAPH_CHOICE_TEMPLATE,
                                       create_heights,
                                       launch_heights,
                                       fetch_heights,
                                       nullptr};
