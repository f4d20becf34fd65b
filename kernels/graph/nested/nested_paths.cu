/*
 * nested_paths.cu - bfs and sssp by relaxing the arcs of all nodes whose distance fell
 * (Bellman-Ford), with templates that launch kernels.
 *
 * recursive (bfs): whoever lowers a node's depth launches a kernel for its arcs, which
 * goes on in the same way.  Nodes that get no kernel are those of the next iteration.
 */
#include "kernels/graph/cuda/cuda_traversal.cuh"
#include "kernels/graph/nested/nested_chain.cuh"

namespace
{

/* Nodes whose depth a block lowered, in shared memory: of consolidated recursion. */
struct lowered_t {
    unsigned n; /* with those beyond */
    int nodes[NESTED_ITEMS];
    nested_list_t list;
};

/* Passed to kernels by value. */
template <typename P, bool RECURSES> struct path_op_t {
    typedef typename P::word_t D;
    typedef D value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    D *distance;
    uint32_t *mine, *next; /* bits of this iteration's and the next one's nodes */
    int *queue;            /* of the next iteration */
    unsigned *n_next;
    unsigned long long *visited;
    nested_items_t items;
    int turn;
    nested_block_t *block;
    lowered_t *lowered;
    unsigned long long n_visited, n_atomics;

    __device__ bool begin(int u, cuda_row_t<D> *row) const
    {
        row->value = grid_read(&distance[u]);
        mine[u >> 5] = 0;
        return row_begin(g, u, row);
    }

    /* Have the next iteration take a node. */
    __device__ void append(int v) const
    {
        if (!(atomicOr(&next[v >> 5], bit_mask(v)) & bit_mask(v)))
            queue[grid_append(n_next)] = v;
    }

    /* Have a kernel take a node. @return false: it gets none */
    __device__ bool recurse(int v) const
    {
        unsigned place;

        if (items.buffers.level == GRAPH_CONSOLIDATE_NONE)
            return nested_launch_item(*this, items, v, turn, block);
        if (items.buffers.level == GRAPH_CONSOLIDATE_GRID)
            return false; /* an iteration is that kernel */
        place = atomicAdd(&lowered->n, 1u);
        if (place < NESTED_ITEMS)
            lowered->nodes[place] = v;
        return place < NESTED_ITEMS;
    }

    /* Launch consolidated kernels for the nodes that the block lowered. */
    __device__ void consolidate() const
    {
        nested_list_t *list = &lowered->list;
        unsigned n;

        __syncthreads();
        n = min(lowered->n, static_cast<unsigned>(NESTED_ITEMS));
        for (unsigned first = 0; first < n; first += blockDim.x) {
            const unsigned k = first + threadIdx.x;

            nested_consolidate(items.nested, items.buffers, k < n,
                               k < n ? lowered->nodes[k] : -1, turn, block, list,
                               [&](int *buffer, unsigned n_items) {
                                   return nested_launch(*this, items, 0, buffer, n_items);
                               });
            for (unsigned i = list->n_launched + threadIdx.x; i < list->n;
                 i += blockDim.x)
                append(list->items[i]);
            __syncthreads();
        }
    }

    __device__ void arc(const cuda_row_t<D> &row, uint32_t a)
    {
        const int v = g.to[a];
        const D d = P::extend(g, row.value, a);

        n_visited++;
        if (d >= distance[v])
            return;
        n_atomics++;
        if (atomicMin(&distance[v], d) <= d)
            return;
        if constexpr (RECURSES)
            if (recurse(v))
                return;
        append(v);
    }

    __device__ void block_begin(nested_block_t *of_block)
    {
        block = of_block;
        n_visited = n_atomics = 0;
        if constexpr (RECURSES) {
            __shared__ lowered_t of_this;

            lowered = &of_this;
            if (threadIdx.x == 0)
                lowered->n = 0;
            __syncthreads();
        }
    }

    __device__ void block_end()
    {
        if constexpr (RECURSES)
            if (items.buffers.level != GRAPH_CONSOLIDATE_NONE)
                consolidate();
        __syncwarp();
        warp_add_to(visited, n_visited);
        warp_add_to(&items.nested.counts->atomics, n_atomics);
    }
};

template <typename P, bool RECURSES> struct path_chain_t {
    nested_items_t items;
    cuda_graph_t g;
    typename P::word_t *distance; /* [n_nodes] */
    frontier_t frontier;

    __device__ bool begin(nested_at_t *at, nested_at_t *, nested_items_shared_t *) const
    {
        const bool goes_on = nested_frontier_goes_on(frontier, at->turn);

        if (!goes_on && grid_is_first())
            *frontier.n_iterations = at->turn;
        return goes_on;
    }

    __device__ void run(const nested_at_t &at, nested_items_shared_t *shared) const
    {
        const frontier_t &f = frontier;
        const int side = at.turn % 2;
        path_op_t<P, RECURSES> op = {g,
                                     distance,
                                     f.bits[side],
                                     f.bits[side ^ 1],
                                     f.queue[side ^ 1],
                                     &f.n[(at.turn + 1) % 3],
                                     f.visited,
                                     items,
                                     at.turn,
                                     nullptr,
                                     nullptr,
                                     0,
                                     0};
        nested_items_t of_queue = items;

        if (RECURSES) /* nodes that got no kernel, and get none now */
            of_queue.buffers.level = GRAPH_CONSOLIDATE_NONE;
        nested_run(op, of_queue,
                   {f.queue[side], nullptr,
                    static_cast<int>(grid_read(&f.n[at.turn % 3]))},
                   at.turn, shared);
    }
};

template <typename D>
__global__ void start_kernel(frontier_t f, int n_nodes, D *distance, int source)
{
    const int64_t i = grid_thread();

    if (i < n_nodes)
        distance[i] = i == source ? 0 : static_cast<D>(~static_cast<D>(0));
    if (i <= n_nodes / 32)
        f.bits[0][i] = f.bits[1][i] = 0;
    if (i == 0) {
        f.queue[0][0] = source;
        f.n[0] = 1;
    }
}

struct state_t : traversal_t {
    nested_items_t items;
};

bool is_bfs(const cuda_state_t *s)
{
    return s->context.spec->algorithm == GRAPH_BFS;
}

bool is_recursive(const cuda_state_t *s)
{
    return s->context.run->loop_template == GRAPH_RECURSIVE;
}

template <typename P, bool RECURSES = false> status_t create_items(state_t *s)
{
    return nested_items_create<path_op_t<P, RECURSES>>(s, &s->items);
}

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    const int64_t mda = s->context.run->split_degree;
    status_t st = traversal_create(s, false, 0);

    if (st != ST_OK)
        return st;
    if (is_recursive(s))
        st = create_items<whole_path_t<uint32_t>, true>(s);
    else if (s->is_real)
        st = create_items<real_path_t>(s);
    else
        st = s->is_wide ? create_items<whole_path_t<unsigned long long>>(s)
                        : create_items<whole_path_t<uint32_t>>(s);
    if (mda != 0) /* node splitting's variant: a kernel in place of more nodes */
        s->items.lb_threshold =
            static_cast<uint32_t>(mda > 0 ? mda : cuda_graph_mda(s->context.graph));
    return st;
}

template <typename P, bool RECURSES = false> status_t run(const state_t *s, int source)
{
    path_chain_t<P, RECURSES> chain = {s->items, s->g,
                                       static_cast<typename P::word_t *>(s->distance),
                                       s->frontier};
    status_t st = grid_launch_each(start_kernel<typename P::word_t>,
                                   s->g.n_nodes / GRID_THREADS + 1, s->frontier,
                                   s->g.n_nodes, chain.distance, source);

    if (is_bfs(s))
        chain.g.weight = nullptr;
    return st == ST_OK ? nested_chain_run(s, chain) : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *task)
{
    state_t *s = static_cast<state_t *>(state);
    const int source = task->sources[0];
    status_t st = adapt_begin(&s->adapt);

    if (st != ST_OK || (st = nested_items_begin(s->items)) != ST_OK)
        return st;
    if (s->is_real)
        return run<real_path_t>(s, source);
    if (s->is_wide)
        return run<whole_path_t<unsigned long long>>(s, source);
    st = is_recursive(s) ? run<whole_path_t<uint32_t>, true>(s, source)
                         : run<whole_path_t<uint32_t>>(s, source);
    return st == ST_OK && is_bfs(s)
               ? relax_parents(s->in, static_cast<const uint32_t *>(s->distance), source,
                               cuda_cores(s), s->nodes[1])
               : st;
}

} // namespace

const cuda_algorithm_t nested_sssp = {sizeof(state_t),
                                      false,
                                      GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE |
                                          GRAPH_CHOICE_SPLIT_DPAR,
                                      create,
                                      launch,
                                      nested_fetch<state_t, traversal_fetch>,
                                      traversal_destroy};

const cuda_algorithm_t nested_bfs = {sizeof(state_t),
                                     true,
                                     GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE |
                                         GRAPH_CHOICE_SPLIT_DPAR | GRAPH_CHOICE_RECURSIVE,
                                     create,
                                     launch,
                                     nested_fetch<state_t, traversal_fetch>,
                                     traversal_destroy};
