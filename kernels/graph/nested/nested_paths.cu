/*
 * nested_paths.cu - bfs and sssp by relaxing the arcs of nodes whose distance fell, with
 * templates that launch kernels.
 *
 * A turn relaxes the arcs of its queue.  Nodes at a distance of at least `below` wait in
 * the far set, as in cuda_relax.cu; a turn whose queue is empty raises `below`, and
 * relaxes the arcs of nodes from there: each block those of its part of the set.
 *
 * recursive (bfs): whoever lowers a node's depth launches a kernel for its arcs, which
 * goes on in the same way.  Nodes that get no kernel are those of the next iteration.
 */
#include "kernels/graph/cuda/cuda_far.cuh"
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
    uint32_t *mine, *next, *far; /* bits of this iteration's and the next one's nodes */
    int *queue;                  /* of the next iteration */
    unsigned *n_next;
    D below;
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

    struct fetched_t {
        int v;
        D d, had;
    };

    __device__ void fetch(const cuda_row_t<D> &row, uint32_t a, fetched_t *x)
    {
        n_visited++;
        x->v = g.to[a];
        x->d = P::extend(g, row.value, a);
    }

    __device__ void look(fetched_t *x) const
    {
        x->had = distance[x->v];
    }

    __device__ bool wants(const fetched_t &x) const
    {
        return x.d < x.had;
    }

    __device__ void act(const fetched_t &x)
    {
        n_atomics++;
        if (atomicMin(&distance[x.v], x.d) <= x.d)
            return;
        if constexpr (RECURSES)
            if (recurse(x.v))
                return;
        if (x.d >= below)
            far_put(far, x.v);
        else
            append(x.v);
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

/* What a turn does. */
enum { PATH_RELAX, PATH_TAKE_FAR };

template <typename P, bool RECURSES> struct path_chain_t {
    typedef typename P::word_t D;
    nested_items_t items;
    cuda_graph_t g;
    relax_t<P> relax;
    frontier_t frontier;

    __device__ bool begin(nested_at_t *at, nested_at_t *next,
                          nested_items_shared_t *) const
    {
        const bool has_queue = grid_read(&frontier.n[at->turn % 3]) > 0;
        const bool goes_on = has_queue || begin_far(at);

        if (grid_is_first()) {
            frontier.n[(at->turn + 2) % 3] = 0;
            frontier.minimum[(at->turn + 1) % 3] = ~0ull;
            if (!goes_on)
                *frontier.n_iterations = at->run;
        }
        if (has_queue)
            at->stage = PATH_RELAX;
        next->run = at->run + 1;
        next->stage = at->stage;
        next->from = at->from;
        next->below = at->below;
        return goes_on;
    }

    /* The bucket to take out of the far set: that above the last one, or, if it was
     * empty, that from the smallest distance on (far_run). @return false: the far set is
     * empty */
    __device__ bool begin_far(nested_at_t *at) const
    {
        const unsigned long long least =
            at->stage == PATH_TAKE_FAR ? grid_read(&frontier.minimum[(at->turn + 2) % 3])
                                       : at->below;

        if (least == ~0ull || at->below == infinite<D>())
            return false;
        at->stage = PATH_TAKE_FAR;
        at->from = at->below;
        at->below = P::bucket_end(static_cast<D>(least), relax.delta);
        return true;
    }

    __device__ void run(const nested_at_t &at, nested_items_shared_t *shared) const
    {
        int *queue = frontier.queue[at.turn % 2];

        if (at.stage == PATH_RELAX)
            relax_nodes(at,
                        {queue, nullptr,
                         static_cast<int>(grid_read(&frontier.n[at.turn % 3]))},
                        false, shared);
        else
            far_run(at, queue, shared);
    }

    /* Each block takes nodes out of its part of the far set, and relaxes their arcs. */
    __device__ void far_run(const nested_at_t &at, int *queue,
                            nested_items_shared_t *shared) const
    {
        __shared__ unsigned n;
        const int64_t n_words = g.n_nodes / 32 + 1, part = n_words / gridDim.x + 1;
        const int64_t first = min(blockIdx.x * part, n_words);
        unsigned long long *minimum = &frontier.minimum[at.turn % 3];

        queue += first * 32;
        if (threadIdx.x == 0)
            n = 0;
        __syncthreads();
        far_take(relax, static_cast<D>(at.from), static_cast<D>(at.below), first,
                 min(first + part, n_words), threadIdx.x / 32, GRID_WARPS, nullptr, queue,
                 &n, minimum);
        __syncthreads();
        /* What these nodes put there counts as well: the next bucket may be right above.
         */
        if (threadIdx.x == 0 && n > 0)
            atomicMin(minimum, at.below);
        relax_nodes(at, {queue, nullptr, static_cast<int>(n)}, true, shared);
    }

    /* @param is_own  the set is the block's own */
    __device__ void relax_nodes(const nested_at_t &at, const cuda_set_t &set, bool is_own,
                                nested_items_shared_t *shared) const
    {
        const frontier_t &f = frontier;
        const int side = at.turn % 2;
        path_op_t<P, RECURSES> op = {g,
                                     relax.distance,
                                     f.bits[side],
                                     f.bits[side ^ 1],
                                     relax.far,
                                     f.queue[side ^ 1],
                                     &f.n[(at.turn + 1) % 3],
                                     static_cast<D>(at.below),
                                     f.visited,
                                     items,
                                     at.run,
                                     nullptr,
                                     nullptr,
                                     0,
                                     0};
        nested_items_t of_queue = items;

        if (RECURSES) /* nodes that got no kernel, and get none now */
            of_queue.buffers.level = GRAPH_CONSOLIDATE_NONE;
        nested_run(op, of_queue, set, at.run, shared, is_own);
    }
};

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
    typedef typename P::word_t D;
    const relax_t<P> relax = {
        static_cast<D *>(s->distance), s->far, {}, static_cast<D>(s->delta), false};
    path_chain_t<P, RECURSES> chain = {s->items, s->g, relax, s->frontier};
    nested_at_t at = {};
    status_t st = relax_start(s->g.n_nodes, s->frontier, relax, source, 1);

    at.below = relax.delta != 0 ? relax.delta : infinite<D>();
    if (is_bfs(s))
        chain.g.weight = nullptr;
    return st == ST_OK ? nested_chain_run(s, chain, at) : st;
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
