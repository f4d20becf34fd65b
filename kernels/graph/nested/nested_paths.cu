/*
 * nested_paths.cu - shortest paths by relaxing the arcs of all nodes whose distance fell
 * (Bellman-Ford), with templates that launch kernels.
 *
 * An iteration is a grid, and the next one its tail launch, which begins when the grid
 * and all that it launched have ended.
 */
#include "kernels/graph/cuda/cuda_traversal.cuh"
#include "kernels/graph/nested/nested_items.cuh"

namespace
{

/* Passed to kernels by value. */
template <typename P> struct path_op_t {
    typedef typename P::word_t D;
    typedef D value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    D *distance;
    uint32_t *mine, *next; /* bits of this iteration's and the next one's nodes */
    int *queue;            /* of the next iteration */
    unsigned *n_next;
    unsigned long long *visited;
    unsigned long long n_visited;

    __device__ bool begin(int u, cuda_row_t<D> *row) const
    {
        row->node = u;
        row->first = g.first[u];
        row->end = g.first[u + 1];
        row->value = grid_read(&distance[u]);
        mine[u >> 5] = 0;
        return row->first < row->end;
    }

    __device__ void arc(const cuda_row_t<D> &row, uint32_t a)
    {
        const int v = g.to[a];
        const D d = P::extend(g, row.value, a);

        n_visited++;
        if (d < distance[v] && atomicMin(&distance[v], d) > d &&
            !(atomicOr(&next[v >> 5], bit_mask(v)) & bit_mask(v)))
            queue[grid_append(n_next)] = v;
    }

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
template <typename P> struct paths_t {
    cuda_graph_t g;
    typename P::word_t *distance; /* [n_nodes] */
    frontier_t frontier;
    nested_items_t items;
    int *resume; /* the iteration that could not be launched, or -1 */
};

template <typename P>
__global__ void __launch_bounds__(GRID_THREADS) paths_kernel(paths_t<P> s, int turn)
{
    __shared__ nested_items_shared_t shared;
    const frontier_t &f = s.frontier;
    const int side = turn % 2;
    const unsigned n = grid_read(&f.n[turn % 3]);
    path_op_t<P> op = {s.g,
                       s.distance,
                       f.bits[side],
                       f.bits[side ^ 1],
                       f.queue[side ^ 1],
                       &f.n[(turn + 1) % 3],
                       f.visited,
                       0};

    if (grid_is_first()) {
        if (n == 0)
            *f.n_iterations = turn;
        else {
            f.n[(turn + 2) % 3] = 0;
            paths_kernel<P>
                <<<gridDim.x, GRID_THREADS, 0, cudaStreamTailLaunch>>>(s, turn + 1);
            if (cudaGetLastError() != cudaSuccess)
                *s.resume = turn + 1;
        }
    }
    if (n > 0)
        nested_run(op, s.items, {f.queue[side], nullptr, static_cast<int>(n)}, turn,
                   &shared);
}

template <typename P> __global__ void start_kernel(paths_t<P> s, int source)
{
    typedef typename P::word_t D;
    const frontier_t &f = s.frontier;
    const int64_t i = grid_thread();

    if (i < s.g.n_nodes)
        s.distance[i] = i == source ? 0 : static_cast<D>(~static_cast<D>(0));
    if (i <= s.g.n_nodes / 32)
        f.bits[0][i] = f.bits[1][i] = 0;
    if (i == 0) {
        f.queue[0][0] = source;
        f.n[0] = 1;
    }
}

struct state_t : traversal_t {
    nested_items_t items;
    int *resume;
};

template <typename P> status_t create_items(state_t *s)
{
    return nested_items_create<path_op_t<P>>(s, &s->items);
}

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = traversal_create(s);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, 1, &s->resume);
    if (st != ST_OK)
        return st;
    if (s->is_real)
        return create_items<real_path_t>(s);
    return s->is_wide ? create_items<whole_path_t<unsigned long long>>(s)
                      : create_items<whole_path_t<uint32_t>>(s);
}

/* One launch, unless a tail launch fails. */
template <typename P> status_t run(const state_t *s, int source)
{
    const paths_t<P> paths = {s->g, static_cast<typename P::word_t *>(s->distance),
                              s->frontier, s->items, s->resume};
    status_t st =
        grid_launch_each(start_kernel<P>, s->g.n_nodes / GRID_THREADS + 1, paths, source);

    for (int turn = 0; st == ST_OK && turn >= 0;) {
        if ((st = CUDA_TRY(cudaMemsetAsync(s->resume, 0xff, sizeof(*s->resume)))) !=
                ST_OK ||
            (st = grid_launch_each(paths_kernel<P>, nested_blocks(s), paths, turn)) !=
                ST_OK)
            return st;
        st = cuda_get(&turn, s->resume, 1);
    }
    return st;
}

status_t launch(cuda_state_t *state, const graph_task_t *task)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = adapt_begin(&s->adapt);

    if (st != ST_OK || (st = nested_items_begin(s->items)) != ST_OK)
        return st;
    if (s->is_real)
        return run<real_path_t>(s, task->sources[0]);
    return s->is_wide ? run<whole_path_t<unsigned long long>>(s, task->sources[0])
                      : run<whole_path_t<uint32_t>>(s, task->sources[0]);
}

status_t fetch(cuda_state_t *state, const graph_task_t *task, graph_result_t *out)
{
    status_t st = traversal_fetch(state, task, out);

    return st == ST_OK ? nested_print(static_cast<state_t *>(state)->items.nested,
                                      &out->decisions)
                       : st;
}

} // namespace

const cuda_algorithm_t nested_paths = {
    sizeof(state_t),  false,  GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,           launch, fetch,
    traversal_destroy};
