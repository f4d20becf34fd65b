/*
 * cuda_trees.cu - trees from their leaves upwards.
 *
 * Each thread takes leaves and climbs: it adds what it has found to the parent, and goes
 * on with the parent only if all other children have been there.  Each node is visited
 * once, at any depth, and no level waits for another.  The lanes of a warp whose leaves
 * have the same parent add to it together, which neighboring leaves often have: `gather`
 * finds what they add.
 */
#include "kernels/graph/cuda/cuda_trees.cuh"

namespace
{

/* What is known of a node; passed to kernels by value. */
struct sums_t {
    typedef int gathered_t;
    int *descendants, *leaves; /* [n_nodes] */

    __device__ void start(int u, bool is_leaf) const
    {
        descendants[u] = 0;
        leaves[u] = is_leaf;
    }

    __device__ void begin() const
    {
    }

    __device__ int gather(unsigned siblings, int) const
    {
        return __popc(siblings);
    }

    __device__ void add_leaves(int up, int n) const
    {
        atomicAdd(&descendants[up], n);
        atomicAdd(&leaves[up], n);
    }

    __device__ void pass_up(int u, int up) const
    {
        atomicAdd(&descendants[up], grid_read(&descendants[u]) + 1);
        atomicAdd(&leaves[up], grid_read(&leaves[u]));
    }
};

struct heights_t {
    typedef int gathered_t;
    int *height; /* [n_nodes] */

    __device__ void start(int u, bool) const
    {
        height[u] = 0;
    }

    __device__ void begin() const
    {
    }

    __device__ int gather(unsigned, int) const
    {
        return 1;
    }

    __device__ void add_leaves(int up, int levels) const
    {
        atomicMax(&height[up], levels);
    }

    __device__ void pass_up(int u, int up) const
    {
        atomicMax(&height[up], grid_read(&height[u]) + 1);
    }
};

/* The counts of a sample. */
struct counts_t {
    typedef unsigned long long gathered_t;
    unsigned long long *count; /* [n_nodes] */
    const int *leaf;           /* [n_given] those whose counts are not 0 */
    const int64_t *given;
    int64_t n_given;

    __device__ void start(int u, bool) const
    {
        count[u] = 0;
    }

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
template <class V>
__device__ void climb(const V &values, const int *parent, int *missing, int leaf, int up)
{
    const unsigned siblings = __match_any_sync(ALL_LANES, up);
    const typename V::gathered_t gathered = values.gather(siblings, leaf);
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

template <class V>
GRID_KERNEL trees_kernel(cuda_graph_t g, cuda_loop_t loop, V values, int *parent,
                         int *missing, unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    trees_parent_t op = {g, parent};

    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        const int n_children = static_cast<int>(g.first[u + 1] - g.first[u]);

        parent[u] = -1;
        missing[u] = n_children;
        values.start(static_cast<int>(u), n_children == 0);
    }
    grid_sync();
    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, nullptr, 0, &shared);
    values.begin();
    grid_sync();
    for (int64_t i = grid_warp() * 32; i < g.n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const bool is_leaf = u < g.n_nodes && g.first[u] == g.first[u + 1];

        climb(values, parent, missing, is_leaf ? static_cast<int>(u) : -1,
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

template <class V, class W> status_t launch(trees_t<V> *s, const W &values)
{
    return grid_launch(trees_kernel<W>, cuda_cores(s), s->g, s->loop, values, s->parent,
                       s->missing, s->frontier.visited);
}

status_t launch_heights(cuda_state_t *state, const graph_task_t *)
{
    trees_t<heights_t> *s = static_cast<trees_t<heights_t> *>(state);

    return launch(s, s->values);
}

status_t launch_descendants(cuda_state_t *state, const graph_task_t *task)
{
    descendants_t *s = static_cast<descendants_t *>(state);
    counts_t counts = s->counts;

    if (task->sample == 0)
        return launch(s, s->values);
    const int64_t *first = &s->context.spec->leaves->first[task->sample - 1];
    counts.leaf += first[0];
    counts.given += first[0];
    counts.n_given = first[1] - first[0];
    return launch(s, counts);
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
