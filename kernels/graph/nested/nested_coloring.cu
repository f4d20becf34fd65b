/*
 * nested_coloring.cu - coloring in rounds, with templates that launch kernels.
 *
 * A round begins with the nodes of the
 * one before: those whose neighbors all had a color get theirs, while other blocks may
 * read it already; all others look at their neighbors again.
 */
#include "kernels/graph/cuda/cuda_coloring.cuh"
#include "kernels/graph/nested/nested_chain.cuh"

namespace
{

struct color_op_t : coloring_op_t {
    unsigned long long *visited;

    __device__ void block_begin(nested_block_t *)
    {
        n_visited = 0;
    }

    __device__ void block_end()
    {
        __syncwarp();
        warp_add_to(visited, n_visited);
    }
};

struct state_t : coloring_t {
    nested_items_t items;
};

/* Settle nodes, which leave the queue, or go into the next one. */
__device__ void settle_queue(const color_op_t &op, int *queue, unsigned n, int *next,
                             unsigned *n_next)
{
    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        const int p = grid_read(&queue[i]);

        if (op.settle(p))
            next[grid_append(n_next)] = p;
        else
            grid_write(&queue[i], -1);
    }
}

struct rounds_t {
    nested_items_t items;
    colors_t colors;
    frontier_t frontier;

    __device__ bool begin(nested_at_t *at, nested_at_t *, nested_items_shared_t *) const
    {
        if (nested_frontier_goes_on(frontier, at->turn))
            return true;
        coloring_write(colors);
        if (grid_is_first())
            *frontier.n_iterations = max(at->turn - 1, 0);
        return false;
    }

    __device__ void run(const nested_at_t &at, nested_items_shared_t *shared) const
    {
        const frontier_t &f = frontier;
        const unsigned n = grid_read(&f.n[at.turn % 3]);
        int *queue = f.queue[at.turn % 2];
        color_op_t op = {{colors.earlier, colors, 0}, f.visited};

        settle_queue(op, queue, n, f.queue[at.turn % 2 ^ 1], &f.n[(at.turn + 1) % 3]);
        nested_run(op, items, {queue, nullptr, static_cast<int>(n)}, at.turn, shared);
    }
};

/* All nodes wait, as if they had neighbors without a color. */
__global__ void __launch_bounds__(GRID_THREADS)
    start_kernel(colors_t colors, frontier_t f)
{
    coloring_start(colors);
    for (int64_t i = grid_thread(); i < colors.earlier.n_nodes; i += grid_n_threads()) {
        colors.mark[i] = 1;
        f.queue[0][i] = static_cast<int>(i);
    }
    if (grid_is_first())
        f.n[0] = static_cast<unsigned>(colors.earlier.n_nodes);
}

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = coloring_create(s);

    return st == ST_OK ? nested_items_create<color_op_t>(s, &s->items) : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = nested_items_begin(s->items);

    if (st == ST_OK)
        st = nested_launch_grid(s, start_kernel, s->colors, s->frontier);
    return st == ST_OK ? nested_chain_run(s, rounds_t{s->items, s->colors, s->frontier})
                       : st;
}

} // namespace

const cuda_algorithm_t nested_coloring = {
    sizeof(state_t), false,  GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,          launch, nested_fetch<state_t, coloring_fetch>,
    nullptr};
