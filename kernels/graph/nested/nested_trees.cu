/*
 * nested_trees.cu - descendants and heights of trees from their roots: what all templates
 * begin with, the template flat, and results.
 */
#include "kernels/graph/nested/nested_trees.cuh"

namespace
{

/* An operation of loop_run on the arcs from parents to children. */
struct trees_parent_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    int *parent;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a) const
    {
        parent[g.to[a]] = row.node;
    }
};

template <class V> __global__ void flat_kernel(nested_trees_t<V> t)
{
    unsigned long long n = 0;

    for (int64_t u = grid_thread(); u < t.g.n_nodes; u += grid_n_threads()) {
        const bool is_leaf = t.degree(static_cast<int>(u)) == 0;
        int distance = 0;

        for (int up = t.parent[u]; up >= 0; up = t.parent[up])
            t.values.add_node(up, ++distance, is_leaf);
        n += static_cast<unsigned>(distance);
    }
    __syncwarp();
    warp_add_to(&t.nested.counts->atomics, n);
}

template <class V>
GRID_KERNEL begin_kernel(nested_trees_t<V> t, cuda_loop_t loop,
                         unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    trees_parent_t op = {t.g, t.parent};

    for (int64_t i = grid_thread(); i < t.g.n_nodes; i += grid_n_threads()) {
        const int u = static_cast<int>(i);
        const unsigned n_children = t.degree(u);

        t.parent[u] = -1;
        t.missing[u] = static_cast<int>(n_children);
        t.values.start(u, n_children == 0);
    }
    grid_sync();
    loop_run(op, {nullptr, nullptr, t.g.n_nodes}, loop, nullptr, 0, &shared);
    if (grid_is_first())
        *visited = t.g.first[t.g.n_nodes];
}

__global__ void unpack_kernel(const unsigned long long *below, int n, int *descendants,
                              int *leaves)
{
    for (int64_t u = grid_thread(); u < n; u += grid_n_threads()) {
        descendants[u] = static_cast<int>(below[u] >> 32);
        leaves[u] = static_cast<int>(below[u]);
    }
}

template <class V> struct state_t : cuda_state_t {
    nested_trees_t<V> trees;
};

template <class V, typename T> status_t create(state_t<V> *s, T **values)
{
    const int64_t n = s->g.n_nodes;
    nested_trees_t<V> *t = &s->trees;
    status_t st;

    t->g = s->g;
    if ((st = nested_create(s->context.run, &s->memory, &t->nested)) != ST_OK ||
        (st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &t->parent)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &t->missing)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &t->next)) != ST_OK)
        return st;
    st = cuda_memory_new(&s->memory, n, values);
    return st == ST_OK && s->context.run->consolidate != GRAPH_CONSOLIDATE_NONE
               ? nested_consolidated_create(s->context.run, cuda_cores(s), &s->memory, t)
               : st;
}

status_t create_sums(cuda_state_t *state)
{
    state_t<nested_sums_t> *s = static_cast<state_t<nested_sums_t> *>(state);

    return create(s, &s->trees.values.below);
}

status_t create_heights(cuda_state_t *state)
{
    state_t<nested_heights_t> *s = static_cast<state_t<nested_heights_t> *>(state);

    return create(s, &s->trees.values.height);
}

/* Enough blocks for all nodes that are read at the same time. */
int n_blocks(const cuda_state_t *s)
{
    return 8 * cuda_cores(s);
}

template <class V> status_t launch(state_t<V> *s)
{
    const nested_trees_t<V> &t = s->trees;
    const graph_template_t form = s->context.run->loop_template;
    status_t st = nested_begin(t.nested);

    if (st != ST_OK || (st = grid_launch(begin_kernel<V>, cuda_cores(s), t, s->loop,
                                         s->frontier.visited)) != ST_OK)
        return st;
    if (form == GRAPH_FLAT)
        return grid_launch_each(flat_kernel<V>, n_blocks(s), t);
    return t.buffers.level != GRAPH_CONSOLIDATE_NONE
               ? nested_consolidated(t, n_blocks(s))
               : nested_recursion(t, form, n_blocks(s));
}

/* Afterwards the columns are in parent[] and missing[]. */
status_t launch_sums(cuda_state_t *state, const graph_task_t *)
{
    state_t<nested_sums_t> *s = static_cast<state_t<nested_sums_t> *>(state);
    const nested_trees_t<nested_sums_t> &t = s->trees;
    status_t st = launch(s);

    return st == ST_OK ? grid_launch_each(unpack_kernel, n_blocks(s), t.values.below,
                                          t.g.n_nodes, t.parent, t.missing)
                       : st;
}

status_t launch_heights(cuda_state_t *state, const graph_task_t *)
{
    return launch(static_cast<state_t<nested_heights_t> *>(state));
}

template <class V> status_t fetch(state_t<V> *s, graph_result_t *out)
{
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    return st == ST_OK ? nested_print(s->trees.nested, &out->decisions) : st;
}

/* Copy a column of a result to the host. */
status_t get_column(const cuda_state_t *s, graph_result_t *out, int column,
                    const int *values)
{
    return cuda_get(static_cast<int *>(out->column[column]), values, s->g.n_nodes);
}

status_t fetch_sums(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    state_t<nested_sums_t> *s = static_cast<state_t<nested_sums_t> *>(state);
    status_t st = fetch(s, out);

    if (st == ST_OK)
        st = get_column(s, out, 0, s->trees.parent);
    return st == ST_OK ? get_column(s, out, 1, s->trees.missing) : st;
}

status_t fetch_heights(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    state_t<nested_heights_t> *s = static_cast<state_t<nested_heights_t> *>(state);
    status_t st = fetch(s, out);

    return st == ST_OK ? get_column(s, out, 0, s->trees.values.height) : st;
}

} // namespace

const cuda_algorithm_t nested_descendants = {sizeof(state_t<nested_sums_t>),
                                             false,
                                             GRAPH_CHOICE_RECURSION |
                                                 GRAPH_CHOICE_CONSOLIDATE,
                                             create_sums,
                                             launch_sums,
                                             fetch_sums,
                                             nullptr};

const cuda_algorithm_t nested_heights = {sizeof(state_t<nested_heights_t>),
                                         false,
                                         GRAPH_CHOICE_RECURSION |
                                             GRAPH_CHOICE_CONSOLIDATE,
                                         create_heights,
                                         launch_heights,
                                         fetch_heights,
                                         nullptr};
