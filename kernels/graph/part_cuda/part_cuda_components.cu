/*
 * part_cuda_components.cu - components on the GPUs of several ranks, in one step.
 *
 * The sets of all nodes (cuda_sets.cuh) travel as in part_components.c.
 */
#include "kernels/graph/cuda/cuda_sets.cuh"
#include "kernels/graph/part_cuda/part_cuda.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

struct components_t : part_cuda_t {
    cuda_graph_t g;
    cuda_loop_t loop;
    int *parent, *others; /* [n_nodes] */
    int64_t *counts;      /* [4][n_ranks] of an exchange */
};

struct join_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    int first_node;
    bool is_symmetric; /* the arc to the smaller node is enough */
    int *parent;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a)
    {
        const int u = first_node + row.node, v = g.to[a];

        if (!is_symmetric || v < u)
            sets_join(parent, u, v);
    }
};

GRID_KERNEL join_rows_kernel(join_op_t op, cuda_loop_t loop, int n_nodes)
{
    __shared__ loop_shared_t shared;

    for (int64_t u = grid_thread(); u < n_nodes; u += grid_n_threads())
        op.parent[u] = static_cast<int>(u);
    grid_sync();
    loop_run(op, {nullptr, nullptr, op.g.n_nodes}, loop, nullptr, 0, &shared);
    grid_sync();
    sets_flatten(op.parent, n_nodes);
}

GRID_KERNEL join_others_kernel(int *parent, const int *others, int n_nodes)
{
    for (int64_t u = grid_thread(); u < n_nodes; u += grid_n_threads())
        if (others[u] != u)
            sets_join(parent, static_cast<int>(u), others[u]);
    grid_sync();
    sets_flatten(parent, n_nodes);
}

status_t begin(part_cuda_t *state, int64_t)
{
    components_t *s = static_cast<components_t *>(state);
    const part_graph_t *p = s->context.graph;
    status_t st;

    s->counts = static_cast<int64_t *>(
        calloc(4 * static_cast<size_t>(p->n_ranks), sizeof(*s->counts)));
    if (s->counts == nullptr)
        return log_nomem("components");
    if ((st = part_cuda_put_rows(s, &p->out, &s->g)) != ST_OK ||
        (st = part_cuda_create_loop(s, s->g, &s->loop)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, p->n_nodes, &s->parent)) != ST_OK)
        return st;
    return p->n_ranks > 1 ? cuda_memory_new(&s->memory, p->n_nodes, &s->others) : ST_OK;
}

/* Send this rank's sets to the rank `distance` behind, and get those of the one before.
 */
status_t exchange(components_t *s, int distance)
{
    const part_graph_t *p = s->context.graph;
    const int n = p->n_ranks, me = p->rank;
    int64_t *send = s->counts, *at = send + n, *recv = send + 2 * n;
    const int64_t bytes = p->n_nodes * static_cast<int64_t>(sizeof(int));

    memset(send, 0, 4 * static_cast<size_t>(n) * sizeof(*send));
    send[(me + distance) % n] = bytes;
    recv[(me + n - distance) % n] = bytes;
    return part_cuda_exchange(s, s->parent, send, at, s->others, recv, at);
}

status_t step(part_cuda_t *state, int64_t, part_step_report_t *out)
{
    components_t *s = static_cast<components_t *>(state);
    const part_graph_t *p = s->context.graph;
    const int n_nodes = static_cast<int>(p->n_nodes);
    const join_op_t op = {s->g, static_cast<int>(p->out.begin), p->is_symmetric,
                          s->parent};
    int n_rounds = 0;
    status_t st = part_cuda_reset_loop(s->loop);

    if (st == ST_OK)
        st = grid_launch(join_rows_kernel, part_cuda_cores(s), op, s->loop, n_nodes);
    for (int distance = 1; st == ST_OK && distance < p->n_ranks; distance *= 2) {
        if ((st = exchange(s, distance)) == ST_OK)
            st = grid_launch(join_others_kernel, part_cuda_cores(s), s->parent, s->others,
                             n_nodes);
        n_rounds++;
    }
    out->is_over = true;
    out->n_visited = s->g.n_arcs;
    snprintf(out->decision, sizeof(out->decision), "%d rounds of exchange", n_rounds);
    return st;
}

status_t fetch(part_cuda_t *state)
{
    const components_t *s = static_cast<const components_t *>(state);
    const part_graph_t *p = s->context.graph;

    return part_cuda_get(static_cast<int *>(s->context.column[0]),
                         s->parent + p->out.begin, s->g.n_nodes);
}

void destroy(part_cuda_t *state)
{
    free(static_cast<components_t *>(state)->counts);
}

} // namespace

const part_cuda_algorithm_t part_cuda_components = {sizeof(components_t), begin, step,
                                                    fetch, destroy};
