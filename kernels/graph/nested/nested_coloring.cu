/*
 * nested_coloring.cu - coloring in rounds, with templates that launch kernels.
 *
 * A round is a grid, and the next one its tail launch.  It begins with the nodes of the
 * one before: those whose neighbors all had a color get theirs, while other blocks may
 * read it already; all others look at their neighbors again.
 */
#include "kernels/graph/cuda/cuda_coloring.cuh"
#include "kernels/graph/nested/nested_items.cuh"

namespace
{

/* Passed to kernels by value. */
struct color_op_t : coloring_op_t {
    unsigned long long *visited;

    __device__ void block_begin()
    {
        n_visited = 0;
    }

    __device__ void block_end()
    {
        __syncwarp();
        warp_add_to(visited, n_visited);
        n_visited = 0;
    }
};

/* Passed to kernels by value. */
struct rounds_t {
    colors_t colors;
    frontier_t frontier;
    nested_items_t items;
    int *resume; /* the round that could not be launched, or -1 */
};

struct state_t : coloring_t {
    nested_items_t items;
    int *resume;
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

__global__ void __launch_bounds__(GRID_THREADS) round_kernel(rounds_t s, int turn)
{
    __shared__ nested_items_shared_t shared;
    const frontier_t &f = s.frontier;
    const unsigned n = grid_read(&f.n[turn % 3]);
    int *queue = f.queue[turn % 2];
    color_op_t op = {{s.colors.earlier, s.colors, 0}, f.visited};

    if (n == 0) {
        coloring_write(s.colors);
        if (grid_is_first())
            *f.n_iterations = max(turn - 1, 0);
        return;
    }
    if (grid_is_first()) {
        f.n[(turn + 2) % 3] = 0;
        round_kernel<<<gridDim.x, GRID_THREADS, 0, cudaStreamTailLaunch>>>(s, turn + 1);
        if (cudaGetLastError() != cudaSuccess)
            *s.resume = turn + 1;
    }
    settle_queue(op, queue, n, f.queue[turn % 2 ^ 1], &f.n[(turn + 1) % 3]);
    nested_run(op, s.items, {queue, nullptr, static_cast<int>(n)}, turn, &shared);
}

/* All nodes wait, as if they had neighbors without a color. */
__global__ void __launch_bounds__(GRID_THREADS) start_kernel(rounds_t s)
{
    coloring_start(s.colors);
    for (int64_t i = grid_thread(); i < s.colors.earlier.n_nodes; i += grid_n_threads()) {
        s.colors.mark[i] = 1;
        s.frontier.queue[0][i] = static_cast<int>(i);
    }
    if (grid_is_first())
        s.frontier.n[0] = static_cast<unsigned>(s.colors.earlier.n_nodes);
}

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = coloring_create(s);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, 1, &s->resume);
    return st == ST_OK ? nested_items_create<color_op_t>(s, &s->items) : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    state_t *s = static_cast<state_t *>(state);
    const rounds_t rounds = {s->colors, s->frontier, s->items, s->resume};
    status_t st = nested_items_begin(s->items);

    if (st != ST_OK ||
        (st = grid_launch_each(start_kernel, nested_blocks(s), rounds)) != ST_OK)
        return st;
    /* one launch, unless a tail launch fails */
    for (int turn = 0; st == ST_OK && turn >= 0;) {
        if ((st = CUDA_TRY(cudaMemsetAsync(s->resume, 0xff, sizeof(*s->resume)))) !=
                ST_OK ||
            (st = grid_launch_each(round_kernel, nested_blocks(s), rounds, turn)) !=
                ST_OK)
            return st;
        st = cuda_get(&turn, s->resume, 1);
    }
    return st;
}

status_t fetch(cuda_state_t *state, const graph_task_t *task, graph_result_t *out)
{
    status_t st = coloring_fetch(state, task, out);

    return st == ST_OK ? nested_print(static_cast<state_t *>(state)->items.nested,
                                      &out->decisions)
                       : st;
}

} // namespace

const cuda_algorithm_t nested_coloring = {
    sizeof(state_t), false,  GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,          launch, fetch,
    nullptr};
