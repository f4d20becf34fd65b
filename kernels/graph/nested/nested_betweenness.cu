/*
 * nested_betweenness.cu - Brandes' algorithm with templates that launch kernels: one
 * source after the other, each level in grids of its own.
 */
#include "kernels/graph/cuda/cuda_brandes.cuh"
#include "kernels/graph/nested/nested_chain.cuh"

namespace
{

enum { SOURCES_PER_LAUNCH = 1024 };

typedef search_t<false> whole_search_t;
typedef nested_op_t<find_op_t<false>> find_t;
typedef nested_op_t<paths_op_t<false>> paths_t;
typedef nested_op_t<dependencies_op_t<false>> dependencies_t;

struct state_t : betweenness_t {
    nested_items_t items;
};

/* What a grid does, of a level but for the first one. */
enum {
    BEGIN_SOURCE, /* after adding the dependencies of the source before */
    FIND_NEXT,    /* level */
    COUNT_PATHS,
    COUNT_DEPENDENCIES
};

/* Level d is order[level[d] .. level[d + 1] - 1]. */
struct brandes_chain_t {
    nested_items_t items;
    brandes_t b;
    int n_sources, first; /* first: the place of sources[0] in the task */

    __device__ whole_search_t search() const
    {
        return whole_search_t(b.searches, b.g.n_nodes);
    }

    __device__ unsigned n_found(const whole_search_t &s, int depth) const
    {
        return grid_read(&s.n_next[depth % 3]);
    }

    __device__ bool begin(nested_at_t *at, nested_at_t *next,
                          nested_items_shared_t *) const
    {
        if (at->stage == COUNT_PATHS && n_found(search(), at->depth) == 0) {
            at->stage = COUNT_DEPENDENCIES;
            at->depth--;
        }
        if (at->stage == COUNT_DEPENDENCIES && at->depth == 0) {
            at->stage = BEGIN_SOURCE;
            at->source++;
        }
        *next = {next->turn, at->run + (at->stage != BEGIN_SOURCE), at->stage, at->depth,
                 at->source};
        switch (at->stage) {
        case FIND_NEXT:
            next->stage = COUNT_PATHS;
            next->depth++;
            break;
        case COUNT_DEPENDENCIES:
            next->depth--;
            break;
        default:
            next->stage = FIND_NEXT;
        }
        return at->source < n_sources || at->stage == BEGIN_SOURCE;
    }

    __device__ void begin_source(const whole_search_t &s, int k) const
    {
        const int source = k < n_sources ? b.sources[k] : -1;

        for (int64_t u = grid_thread(); u < b.g.n_nodes; u += grid_n_threads()) {
            if (k > 0)
                b.centrality[u] = __dadd_rn(b.centrality[u], b.dependency[u]);
            b.dependency[u] = 0;
            s.depth[u] = u == source ? 0 : whole_search_t::NONE;
        }
        if (grid_is_first() && source >= 0) {
            s.given[source] = 1;
            s.order[0] = static_cast<unsigned>(source);
            s.level[0] = s.n_next[1] = 0;
            s.level[1] = 1;
        }
    }

    template <class OP>
    __device__ void run_level(OP op, const whole_search_t &s, const nested_at_t &at,
                              unsigned n, nested_items_shared_t *shared) const
    {
        const unsigned *nodes = s.order + s.read(&s.level[at.depth]);

        nested_run(op, items,
                   {reinterpret_cast<const int *>(nodes), nullptr, static_cast<int>(n)},
                   at.run, shared);
    }

    __device__ void run(const nested_at_t &at, nested_items_shared_t *shared) const
    {
        const whole_search_t s = search();
        const unsigned d = static_cast<unsigned>(at.depth);
        unsigned n;

        if (at.stage == BEGIN_SOURCE)
            return begin_source(s, at.source);
        if (at.stage == COUNT_PATHS) {
            n = n_found(s, at.depth);
            if (grid_is_first())
                s.level[d + 1] = s.level[d] + n;
            return run_level(paths_t{{b.in, s, d - 1, b.refused, first + at.source}}, s,
                             at, n, shared);
        }
        n = s.read(&s.level[d + 1]) - s.read(&s.level[d]);
        if (at.stage == COUNT_DEPENDENCIES)
            return run_level(dependencies_t{{b.g, s, d + 1, b.dependency}}, s, at, n,
                             shared);
        if (grid_is_first())
            s.n_next[(d + 2) % 3] = 0;
        run_level(find_t{{b.g, s, s.order + s.read(&s.level[d + 1]),
                          &s.n_next[(d + 1) % 3], d + 1}},
                  s, at, n, shared);
    }
};

status_t create(cuda_state_t *state)
{
    state_t *s = static_cast<state_t *>(state);
    cuda_memory_t *m = &s->memory;
    brandes_t *b = &s->brandes;
    const int64_t n = s->g.n_nodes;
    status_t st;

    b->g = s->g;
    b->in = s->in;
    b->n_beside = SOURCES_PER_LAUNCH;
    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_memory_new(m, n, &b->centrality)) != ST_OK ||
        (st = cuda_memory_new(m, n, &b->dependency)) != ST_OK ||
        (st = cuda_memory_new(m, 1, &b->refused)) != ST_OK ||
        (st = cuda_memory_new(m, b->n_beside, &b->sources)) != ST_OK ||
        (st = cuda_memory_new(m, static_cast<int64_t>(brandes_bytes(false, s->g.n_nodes)),
                              &b->searches)) != ST_OK)
        return st;
    return nested_items_create<paths_t>(s, &s->items);
}

status_t run(const betweenness_t *state, int n_sources, int64_t first)
{
    const state_t *s = static_cast<const state_t *>(state);

    return nested_chain_run(s, brandes_chain_t{s->items, s->brandes, n_sources,
                                               static_cast<int>(first)});
}

status_t launch(cuda_state_t *state, const graph_task_t *task)
{
    state_t *s = static_cast<state_t *>(state);
    status_t st = nested_items_begin(s->items);

    return st == ST_OK ? betweenness_launch(s, task, run) : st;
}

} // namespace

const cuda_algorithm_t nested_betweenness = {
    sizeof(state_t), true,   GRAPH_CHOICE_LAUNCHES | GRAPH_CHOICE_CONSOLIDATE,
    create,          launch, nested_fetch<state_t, betweenness_fetch>,
    nullptr};
