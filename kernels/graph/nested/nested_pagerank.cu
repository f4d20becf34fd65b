/*
 * nested_pagerank.cu - PageRank with templates that launch kernels.
 *
 * After each iteration over the rows, whose finish needs all that was launched, a grid
 * adds up tiles of nodes; blocks of the next one add up the tiles.
 */
#include "kernels/graph/cuda/cuda_pagerank.cuh"
#include "kernels/graph/nested/nested_chain.cuh"

namespace
{

typedef nested_op_t<rank_op_t> row_op_t;

struct state_t : pagerank_state_t {
    nested_items_t items;
};

/* Turns: 0 divides the first ranks, odd ones add up tiles, others are iterations. */
struct pagerank_chain_t {
    nested_items_t items;
    cuda_graph_t in;
    pagerank_t s;

    static __device__ int iteration(const nested_at_t &at)
    {
        return at.turn / 2 - 1;
    }

    __device__ double total(const double *tiles, nested_items_shared_t *shared) const
    {
        return pagerank_total(tiles, in.n_nodes, shared->sums);
    }

    __device__ bool begin(nested_at_t *at, nested_at_t *,
                          nested_items_shared_t *shared) const
    {
        const int n = iteration(*at);
        const unsigned n_iterations = s.progress->n_passes + static_cast<unsigned>(n);

        if (at->turn == 0 || at->turn % 2 != 0 ||
            (s.progress->is_over == 0 &&
             n_iterations < static_cast<unsigned>(s.max_iterations) &&
             (n == 0 || total(s.tile_change, shared) >= s.tolerance)))
            return true;
        if (grid_is_first())
            *s.n_iterations = static_cast<int>(n_iterations);
        return false;
    }

    __device__ void run(const nested_at_t &at, nested_items_shared_t *shared) const
    {
        const int n = iteration(at);
        row_op_t op = {{in, s, s.share[n & 1], s.share[(n + 1) & 1], 0}};

        if (at.turn == 0) {
            op.divide_all();
        } else if (at.turn % 2 == 0) {
            op.base = pagerank_base(s, total(s.tile_dangling, shared), in.n_nodes);
            nested_run(op, items, {nullptr, nullptr, in.n_nodes}, n, shared);
        } else {
            pagerank_add_tiles([&](uint32_t u) { return grid_read(&s.dangling[u]); },
                               in.n_nodes, s.tile_dangling, shared->sums);
            if (at.turn > 1)
                pagerank_add_tiles([&](uint32_t u) { return grid_read(&s.change[u]); },
                                   in.n_nodes, s.tile_change, shared->sums);
        }
    }
};

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = pagerank_create(s);

    return st == ST_OK ? nested_items_create<row_op_t>(s, &s->items) : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    state_t *s = static_cast<state_t *>(state);
    const pagerank_chain_t chain = {s->items, s->in, s->task};
    status_t st = pagerank_begin(s);

    if (st != ST_OK || (st = nested_items_begin(s->items)) != ST_OK)
        return st;
    return nested_chain_run(s, chain);
}

} // namespace

const cuda_algorithm_t nested_pagerank = {
    sizeof(state_t), true,   GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,          launch, nested_fetch<state_t, pagerank_fetch>,
    nullptr};
