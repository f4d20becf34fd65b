/*
 * cuda_pagerank_sets.cu - PageRank by passes over working sets (pagerank_restart.h).
 *
 * pagerank_t.change has the distance of each rank from the one that its share is made of.
 * A pass runs over all rows, of which those outside of the set are empty.
 */
#include "kernels/graph/cuda/cuda_pagerank.cuh"

namespace
{

/* A pass over the set. */
struct set_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    pagerank_t s;
    pagerank_sets_t p;
    double base;
    unsigned long long n_visited;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        const bool is_in = bit_of(p.set, u);

        row->node = u;
        row->first = g.first[u];
        row->end = is_in ? g.first[u + 1] : row->first;
        return is_in;
    }

    __device__ double term(uint32_t a) const
    {
        return s.share[0][g.to[a]];
    }

    __device__ void finish(int u, double sum)
    {
        if (!bit_of(p.set, u))
            return;
        s.rank[u] = __dadd_rn(base, __dmul_rn(s.damping, sum));
        s.change[u] = fabs(__dadd_rn(s.rank[u], -p.shared[u]));
        n_visited += g.first[u + 1] - g.first[u];
    }
};

/* Puts the nodes that arcs lead to into the set, from nodes that have moved. */
struct mark_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    const double *change;
    double moved;
    uint32_t *set;
    const uint32_t *in_first;
    unsigned long long n_in; /* arcs into nodes that were not in it */

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row) && grid_read(&change[u]) > moved;
    }

    __device__ void arc(const cuda_row_t<no_value_t> &, uint32_t a)
    {
        const int v = g.to[a];

        if ((grid_read(&set[v >> 5]) & bit_mask(v)) == 0 &&
            (atomicOr(&set[v >> 5], bit_mask(v)) & bit_mask(v)) == 0)
            n_in += in_first[v + 1] - in_first[v];
    }
};

/* What all threads know; they take part in each function, and have barriers inside. */
struct run_t {
    const cuda_graph_t &g, &in;
    const cuda_loop_t &loop;
    const pagerank_t &s;
    const pagerank_sets_t &p;
    loop_shared_t *shared;
    double moved;    /* how far a node has to move */
    double dangling; /* the sum that the base is made of */
    double drift;    /* since then */
    unsigned n_passes, n_set_passes;
    int n_loops;
    unsigned long long n_visited; /* by this thread */

    __device__ void renew_share(int u) const
    {
        const double rank = s.rank[u];

        p.shared[u] = rank;
        s.share[0][u] = pagerank_share(s, u, rank);
        s.dangling[u] = s.out_first[u + 1] > s.out_first[u] ? 0 : rank;
        s.change[u] = 0;
    }

    /* @return the sum of the ranks of nodes without arcs */
    __device__ double dangling_of() const
    {
        grid_sync();
        pagerank_add_tiles([&](uint32_t u) { return grid_read(&s.dangling[u]); },
                           g.n_nodes, s.tile_dangling, shared->sums);
        grid_sync();
        return pagerank_total(s.tile_dangling, g.n_nodes, shared->sums);
    }

    /* The next pass is one over all nodes. */
    __device__ void renew_all()
    {
        for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
            renew_share(static_cast<int>(u));
        for (int64_t w = grid_thread(); w <= g.n_nodes / 32; w += grid_n_threads())
            p.set[w] = ALL_LANES;
        dangling = dangling_of();
        drift = 0;
    }

    /* Pass over the set, which is empty then. */
    __device__ void pass(const cuda_plan_t &plan, bool is_set)
    {
        set_op_t op = {in, s, p, pagerank_base(s, dangling, g.n_nodes), 0};

        loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, &plan, n_loops++, shared);
        n_visited += op.n_visited;
        n_passes++;
        n_set_passes += is_set;
        grid_sync();
        frontier_clear(p.set, g.n_nodes);
        if (grid_is_first())
            p.n_out[n_passes % 2] = p.n_in[n_passes % 2] = 0;
    }

    /* @return the sum of the distances above a limit */
    __device__ double change_of(double limit) const
    {
        grid_sync(); /* other sums have been read */
        pagerank_add_tiles(
            [&](uint32_t u) {
                const double x = grid_read(&s.change[u]);

                return x > limit ? x : 0;
            },
            g.n_nodes, s.tile_change, shared->sums);
        grid_sync();
        return pagerank_total(s.tile_change, g.n_nodes, shared->sums);
    }

    /* Find out how far nodes have to move. @param change  the sum of all distances */
    __device__ void set_moved(double change)
    {
        moved = fmin(moved, __dmul_rn(p.limits.first_moved, change));
        while (change_of(moved) < change / 2)
            moved /= 2;
    }

    /* Count the arcs out of the nodes that have moved. */
    __device__ int64_t count_moved(unsigned long long *n_out) const
    {
        unsigned long long n = 0;

        for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
            if (grid_read(&s.change[u]) > moved)
                n += s.out_first[u + 1] - s.out_first[u];
        warp_add_to(n_out, n);
        grid_sync();
        return static_cast<int64_t>(grid_read(n_out));
    }

    /* Renew the shares of the nodes that have moved, which gives the next working set.
     * @return whether the next pass is one over the set; otherwise shares may be old */
    __device__ bool renew_moved()
    {
        unsigned long long *in_set = &p.n_in[(n_passes - 1) % 2];
        const int64_t n_out = count_moved(&p.n_out[(n_passes - 1) % 2]);
        mark_op_t mark = {g, s.change, moved, p.set, in.first, 0};

        if (n_out > p.limits.out_arcs)
            return false;
        loop_run(mark, {nullptr, nullptr, g.n_nodes}, loop, nullptr, n_loops++, shared);
        warp_add_to(in_set, mark.n_in);
        grid_sync();
        for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads())
            if (grid_read(&s.change[u]) > moved)
                renew_share(static_cast<int>(u));
        if (s.spreads)
            drift = __dmul_rn(s.damping, fabs(__dadd_rn(dangling_of(), -dangling)));
        grid_sync();
        n_visited += grid_is_first() ? static_cast<unsigned long long>(n_out) : 0;
        return n_out + static_cast<int64_t>(grid_read(in_set)) <= p.limits.arcs &&
               drift < p.limits.drift;
    }
};

GRID_KERNEL pagerank_sets_kernel(cuda_graph_t g, cuda_graph_t in, cuda_loop_t loop,
                                 cuda_plan_t plan, pagerank_t s, pagerank_sets_t p)
{
    __shared__ loop_shared_t shared;
    run_t run = {g, in, loop, s, p, &shared, INFINITY, 0, 0, 0, 0, 0, 0};
    double change = INFINITY;
    bool is_set = false;

    run.renew_all();
    while (run.n_passes < static_cast<unsigned>(s.max_iterations)) {
        run.pass(plan, is_set);
        const double moves = run.change_of(0);

        change = __dadd_rn(moves, run.drift);
        if (change < s.tolerance)
            break;
        run.set_moved(moves);
        is_set = run.renew_moved();
        if (!is_set && p.gives_up)
            break;
        if (!is_set)
            run.renew_all();
    }
    warp_add_to(p.visited, run.n_visited);
    if (grid_is_first())
        *s.progress = {run.n_set_passes, run.n_passes, change < s.tolerance};
}

} // namespace

status_t pagerank_sets_launch(const cuda_state_t *state, const cuda_plan_t &plan,
                              const pagerank_t &task, const pagerank_sets_t &sets)
{
    return grid_launch(pagerank_sets_kernel, cuda_cores(state), state->g, state->in,
                       state->loop, plan, task, sets);
}
