/*
 * cuda_pagerank.cu - PageRank, with sums in the shape of tree_sum.h.
 *
 * The sum over all nodes is computed in two steps: blocks add up aligned tiles of nodes,
 * which are subtrees; after a barrier every block adds up the tiles for itself.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

namespace
{

enum { SUMS_TILE = 1024 }; /* nodes */

/* Passed to kernels by value. */
struct pagerank_t {
    const uint32_t *out_first;           /* [n_nodes + 1] of the arcs out of a node */
    double *rank, *change, *dangling;    /* [n_nodes] */
    double *share[2];                    /* [n_nodes] */
    double *tile_change, *tile_dangling; /* [n_nodes / SUMS_TILE + 1] */
    double damping, base, tolerance;     /* base: without dangling nodes */
    bool spreads;                        /* the ranks of dangling nodes */
    int max_iterations;
    int *n_iterations;
};

struct pagerank_state_t : cuda_state_t {
    cuda_plan_t plan; /* of the arcs reversed */
    double *reals[7]; /* [n_nodes] */
    pagerank_t task;
};

struct rank_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    pagerank_t s;
    const double *share;
    double *next_share;
    double base;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row->node = u;
        row->first = g.first[u];
        row->end = g.first[u + 1];
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        return share[g.to[a]];
    }

    /* Divide a rank among the arcs of a node. */
    __device__ void divide(int u, double rank) const
    {
        const uint32_t degree = s.out_first[u + 1] - s.out_first[u];

        s.rank[u] = rank;
        s.dangling[u] = degree > 0 ? 0 : rank;
        next_share[u] = degree > 0 ? __ddiv_rn(rank, static_cast<double>(degree)) : 0;
    }

    __device__ void finish(int u, double sum) const
    {
        const double rank = __dadd_rn(base, __dmul_rn(s.damping, sum));

        s.change[u] = fabs(__dadd_rn(rank, -s.rank[u]));
        divide(u, rank);
    }
};

/* Add up tiles of nodes. */
__device__ void add_tiles(const double *x, int n_nodes, double *tiles,
                          loop_shared_t *shared)
{
    for (int64_t tile = blockIdx.x; tile * SUMS_TILE < n_nodes; tile += gridDim.x) {
        const double sum =
            row_sum_block([&](uint32_t u) { return grid_read(&x[u]); },
                          static_cast<uint32_t>(tile * SUMS_TILE),
                          static_cast<uint32_t>(
                              min((tile + 1) * SUMS_TILE, static_cast<int64_t>(n_nodes))),
                          shared->sums);

        if (threadIdx.x == 0)
            tiles[tile] = sum;
    }
}

/* @return the sum of the tiles, in all threads */
__device__ double tiles_total(const double *tiles, int n_nodes, loop_shared_t *shared)
{
    return row_sum_block([&](uint32_t k) { return grid_read(&tiles[k]); }, 0,
                         static_cast<uint32_t>((n_nodes + SUMS_TILE - 1) / SUMS_TILE),
                         shared->sums);
}

GRID_KERNEL pagerank_kernel(cuda_graph_t in, cuda_loop_t loop, cuda_plan_t plan,
                            pagerank_t s)
{
    __shared__ loop_shared_t shared;
    const double n = static_cast<double>(in.n_nodes);
    rank_op_t op = {in, s, s.share[1], s.share[0], 0};
    int turn = 0;

    for (int64_t u = grid_thread(); u < in.n_nodes; u += grid_n_threads())
        op.divide(static_cast<int>(u), __ddiv_rn(1, n));
    grid_sync();
    add_tiles(s.dangling, in.n_nodes, s.tile_dangling, &shared);
    grid_sync();
    while (turn < s.max_iterations) {
        op.base = s.base;
        if (s.spreads)
            op.base =
                __dadd_rn(s.base, __ddiv_rn(__dmul_rn(s.damping,
                                                      tiles_total(s.tile_dangling,
                                                                  in.n_nodes, &shared)),
                                            n));
        op.share = s.share[turn % 2];
        op.next_share = s.share[(turn + 1) % 2];
        loop_run(op, {nullptr, nullptr, in.n_nodes}, loop, &plan, turn, &shared);
        turn++;
        grid_sync();
        add_tiles(s.dangling, in.n_nodes, s.tile_dangling, &shared);
        add_tiles(s.change, in.n_nodes, s.tile_change, &shared);
        grid_sync();
        if (!(tiles_total(s.tile_change, in.n_nodes, &shared) >= s.tolerance))
            break;
    }
    if (grid_is_first())
        *s.n_iterations = turn;
}

/* Divide the rows of the arcs into nodes. */
status_t create_plan(pagerank_state_t *s, const csr_t *rows)
{
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    return st == ST_OK ? cuda_graph_plan(&s->memory, rows,
                                         s->loop.form == GRAPH_MERGE_PATH, &s->plan)
                       : st;
}

status_t create(cuda_state_t *state)
{
    pagerank_state_t *s = static_cast<pagerank_state_t *>(state);
    const csr_t *g = s->context.graph;
    const graph_spec_t *spec = s->context.spec;
    const int64_t max = spec->max_iterations;
    status_t st = create_plan(s, g->is_symmetric ? g : &s->reversed);

    for (int k = 0; st == ST_OK && k < 7; k++)
        st = cuda_memory_new(&s->memory, g->n_nodes, &s->reals[k]);
    s->task = {s->g.first,
               s->reals[0],
               s->reals[1],
               s->reals[2],
               {s->reals[3], s->reals[4]},
               s->reals[5],
               s->reals[6],
               spec->damping,
               (1 - spec->damping) / static_cast<double>(g->n_nodes),
               spec->tolerance,
               spec->dangling == GRAPH_DANGLING_SPREAD,
               static_cast<int>(max < INT32_MAX ? max : INT32_MAX),
               s->frontier.n_iterations};
    return st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    pagerank_state_t *s = static_cast<pagerank_state_t *>(state);

    return grid_launch(pagerank_kernel, cuda_cores(s), s->in, s->loop, s->plan, s->task);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const pagerank_state_t *s = static_cast<const pagerank_state_t *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_visited = out->n_iterations * s->context.graph->n_arcs;
    return st == ST_OK ? cuda_get(static_cast<double *>(out->column[0]), s->reals[0],
                                  s->g.n_nodes)
                       : st;
}

} // namespace

const cuda_algorithm_t cuda_pagerank = {sizeof(pagerank_state_t),
                                        true,
                                        GRAPH_CHOICE_TEMPLATE,
                                        create,
                                        launch,
                                        fetch,
                                        nullptr};
