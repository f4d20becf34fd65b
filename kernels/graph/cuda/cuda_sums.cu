/*
 * cuda_sums.cu - sums over rows, in the shape of tree_sum.h.
 *
 * The sum over all nodes is computed in two steps: blocks add up aligned tiles of nodes,
 * which are subtrees; after a barrier every block adds up the tiles for itself.
 */
#include "kernels/graph/cuda/cuda_sums.cuh"

namespace
{

struct spmv_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    const double *x;
    double *y;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row->node = u;
        row->first = g.first[u];
        row->end = g.first[u + 1];
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        const double x_to = __ldg(&x[g.to[a]]);

        if (g.value != nullptr)
            return __dmul_rn(g.value[a], x_to);
        return g.weight != nullptr ? __dmul_rn(static_cast<double>(g.weight[a]), x_to)
                                   : x_to;
    }

    __device__ void finish(int u, double sum) const
    {
        y[u] = sum;
    }
};

GRID_KERNEL spmv_kernel(cuda_graph_t g, cuda_loop_t loop, cuda_plan_t plan,
                        const double *x, double *y)
{
    __shared__ loop_shared_t shared;
    spmv_op_t op = {g, x, y};

    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, &plan, 0, &shared);
}

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

} // namespace

status_t sums_spmv(const cuda_graph_t &g, const cuda_loop_t &loop,
                   const cuda_plan_t &plan, const double *x, int n_cores, double *y)
{
    return grid_launch(spmv_kernel, n_cores, g, loop, plan, x, y);
}

status_t sums_pagerank(const cuda_graph_t &in, const cuda_loop_t &loop,
                       const cuda_plan_t &plan, const pagerank_t &s, int n_cores)
{
    return grid_launch(pagerank_kernel, n_cores, in, loop, plan, s);
}
