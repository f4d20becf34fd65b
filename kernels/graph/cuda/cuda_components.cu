/*
 * cuda_components.cu - weakly connected components.
 *
 * component[] has disjoint sets of nodes (cuda_sets.cuh), which each arc joins.
 *
 * First each node joins its first two neighbors.  That leaves most nodes of most graphs
 * in one tree, whose own arcs need no look: those that leave it are seen from their other
 * end (Sutton et al. 2018).
 */
#include "kernels/graph/cuda/cuda_backend.cuh"
#include "kernels/graph/cuda/cuda_sets.cuh"

namespace
{

struct components_t : cuda_state_t {
    int *component; /* [n_nodes] */

    /* of an earlier graph; nullptr: nothing is known */
    const int *joined; /* [n_nodes] */
    const int *rows;   /* [n_rows] whose arcs may join others */
};

enum { FIRST_ARCS = 2, SAMPLES = GRID_THREADS };

struct join_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    int *component;
    const uint32_t *skipped; /* bits of nodes whose arcs are not looked at */
    uint32_t skips_arcs;     /* of each row, which were looked at */
    unsigned long long n_visited;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row->node = u;
        row->end = g.first[u + 1];
        row->first = min(g.first[u] + skips_arcs, row->end);
        return !bit_of(skipped, u) && row->first < row->end;
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a)
    {
        n_visited++;
        sets_join(component, row.node, g.to[a]);
    }
};

/* @return the most frequent root of some nodes, the same in all threads */
__device__ int frequent_root(const int *component, int n_nodes, int *shared)
{
    __shared__ unsigned long long best;
    const int mine = component[static_cast<int64_t>(threadIdx.x) * n_nodes / SAMPLES];
    unsigned long long n = 0;

    if (threadIdx.x == 0)
        best = 0;
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int k = 0; k < SAMPLES; k++)
        n += shared[k] == mine;
    atomicMax(&best, n << 32 | static_cast<unsigned>(mine));
    __syncthreads();
    return static_cast<int>(best & 0xffffffffu);
}

/* Set the bits of the nodes of a tree.  Bits, because trees change while threads of one
 * warp decide about a node. */
__device__ void skip_tree(const int *component, int n_nodes, int root, uint32_t *skipped)
{
    for (int64_t i = grid_warp() * 32; i < n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const unsigned word =
            __ballot_sync(ALL_LANES, u < n_nodes && component[u] == root);

        if (grid_lane() == 0)
            skipped[i >> 5] = word;
    }
}

GRID_KERNEL components_kernel(cuda_graph_t g, cuda_graph_t in, cuda_loop_t loop,
                              int *component, uint32_t *skipped,
                              unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    join_op_t op = {g, component, skipped, FIRST_ARCS, 0};

    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        const int v =
            g.first[u] < g.first[u + 1] ? g.to[g.first[u]] : static_cast<int>(u);

        component[u] = min(static_cast<int>(u), v);
    }
    grid_sync();
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
        for (uint32_t a = g.first[u]; a < g.first[u + 1] && a < g.first[u] + FIRST_ARCS;
             a++, op.n_visited++)
            sets_join(component, static_cast<int>(u), g.to[a]);
    grid_sync();
    sets_flatten(component, g.n_nodes);
    grid_sync();
    skip_tree(component, g.n_nodes, frequent_root(component, g.n_nodes, shared.large),
              skipped);
    grid_sync();
    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, nullptr, 0, &shared);
    grid_sync();
    if (in.to != g.to) {
        op.g = in;
        op.skips_arcs = 0;
        loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, nullptr, 1, &shared);
        grid_sync();
    }
    sets_flatten(component, g.n_nodes);
    warp_add_to(visited, op.n_visited);
}

/* Join the arcs of some rows, from components of an earlier graph on. */
GRID_KERNEL rejoin_kernel(cuda_graph_t g, cuda_loop_t loop, const int *joined,
                          cuda_set_t rows, int *component, const uint32_t *none,
                          unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    join_op_t op = {g, component, none, 0, 0};

    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
        component[u] = joined[u];
    grid_sync();
    loop_run(op, rows, loop, nullptr, 0, &shared);
    grid_sync();
    sets_flatten(component, g.n_nodes);
    warp_add_to(visited, op.n_visited);
}

status_t create(cuda_state_t *state)
{
    components_t *s = static_cast<components_t *>(state);
    const graph_spec_t *spec = s->context.spec;
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->component);
    if (st == ST_OK && spec->joined != nullptr)
        st = cuda_memory_put(&s->memory, spec->joined, s->g.n_nodes, &s->joined);
    if (st == ST_OK && spec->joined != nullptr)
        st = cuda_memory_put(&s->memory, spec->rows, spec->n_rows, &s->rows);
    return st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    components_t *s = static_cast<components_t *>(state);
    status_t st;

    if (s->joined != nullptr) {
        const cuda_set_t rows = {s->rows, nullptr,
                                 static_cast<int>(s->context.spec->n_rows)};

        st = CUDA_TRY(cudaMemsetAsync(s->frontier.bits[0], 0,
                                      (static_cast<size_t>(s->g.n_nodes) / 32 + 1) *
                                          sizeof(uint32_t)));
        return st == ST_OK
                   ? grid_launch(rejoin_kernel, cuda_cores(s), s->g, s->loop, s->joined,
                                 rows, s->component,
                                 static_cast<const uint32_t *>(s->frontier.bits[0]),
                                 s->frontier.visited)
                   : st;
    }
    return grid_launch(components_kernel, cuda_cores(s), s->g, s->in, s->loop,
                       s->component, s->frontier.bits[0], s->frontier.visited);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const components_t *s = static_cast<const components_t *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    return st == ST_OK
               ? cuda_get(static_cast<int *>(out->column[0]), s->component, s->g.n_nodes)
               : st;
}

} // namespace

const cuda_algorithm_t cuda_components = {
    sizeof(components_t), true, GRAPH_CHOICE_TEMPLATE, create, launch, fetch, nullptr};
