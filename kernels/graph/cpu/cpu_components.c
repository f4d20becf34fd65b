/*
 * cpu_components.c - components by Afforest (Sutton, Ben-Nun, Barak 2018).
 *
 * The first arcs of each node join most nodes to one large component.  In a symmetric
 * graph its nodes need no other arcs: an arc that leaves it is also an arc of the node
 * that it leads to.
 */
#include "io/base/rng.h"
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/cpu/cpu_state.h"

enum { GRAIN = 4096, N_SAMPLED_ARCS = 2, N_SAMPLED_NODES = 1024 };

typedef struct {
    const csr_t *g;
    const graph_spec_t *spec;
    _Atomic int32_t *parent;
    int32_t skipped; /* the component whose nodes need no other arcs; or -1 */
    int position;    /* of the arc to join now */
    atomic_llong n_visited;
} afforest_t;

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    const afforest_t *f = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        atomic_init(&f->parent[u], (int32_t)u);
}

static void join_sampled(void *ctx, int64_t begin, int64_t end, int thread)
{
    const afforest_t *f = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++)
        if (f->position < csr_degree(f->g, u))
            shared_sets_join(f->parent, u, f->g->to[f->g->first[u] + f->position]);
}

static void join_others(void *ctx, int64_t begin, int64_t end, int thread)
{
    afforest_t *f = ctx;
    int64_t n_visited = 0;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        if (csr_degree(f->g, u) <= N_SAMPLED_ARCS ||
            shared_sets_parent(f->parent, u) == f->skipped)
            continue;
        for (int64_t a = f->g->first[u] + N_SAMPLED_ARCS; a < f->g->first[u + 1]; a++)
            shared_sets_join(f->parent, u, f->g->to[a]);
        n_visited += csr_degree(f->g, u) - N_SAMPLED_ARCS;
    }
    atomic_fetch_add(&f->n_visited, n_visited);
}

/* Begin with components of an earlier graph. */
static void start_joined(void *ctx, int64_t begin, int64_t end, int thread)
{
    const afforest_t *f = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        atomic_init(&f->parent[u], f->spec->joined[u]);
}

static void join_rows(void *ctx, int64_t begin, int64_t end, int thread)
{
    afforest_t *f = ctx;
    int64_t n_visited = 0;

    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int32_t u = f->spec->rows[i];

        for (int64_t a = f->g->first[u]; a < f->g->first[u + 1]; a++)
            shared_sets_join(f->parent, u, f->g->to[a]);
        n_visited += csr_degree(f->g, u);
    }
    atomic_fetch_add(&f->n_visited, n_visited);
}

static void compress(void *ctx, int64_t begin, int64_t end, int thread)
{
    const afforest_t *f = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        int32_t root = shared_sets_parent(f->parent, u), up;

        while ((up = shared_sets_parent(f->parent, root)) != root)
            root = up;
        atomic_store_explicit(&f->parent[u], root, memory_order_relaxed);
    }
}

/* @return the most frequent component of some nodes, by a vote that finds a majority
 *         (Boyer and Moore 1981) */
static int32_t large_component(const afforest_t *f)
{
    rng_t rng = rng_seed(1);
    int32_t candidate = -1;
    int votes = 0;

    for (int i = 0; i < N_SAMPLED_NODES && f->g->n_nodes > 0; i++) {
        int32_t u = (int32_t)rng_below(&rng, (uint64_t)f->g->n_nodes);
        int32_t component = shared_sets_parent(f->parent, u);

        if (csr_degree(f->g, u) == 0)
            continue;
        if (votes == 0)
            candidate = component;
        votes += component == candidate ? 1 : -1;
    }
    return candidate;
}

status_t cpu_components(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes;
    afforest_t f = {.g = c->graph,
                    .spec = c->spec,
                    .parent = out->column[0],
                    .skipped = -1};

    (void)task;
    out->n_iterations = 1;
    if (c->spec->joined != NULL) {
        cpu_for(c->pool, n, GRAIN, start_joined, &f);
        cpu_for(c->pool, c->spec->n_rows, GRAIN, join_rows, &f);
        cpu_for(c->pool, n, GRAIN, compress, &f);
        out->n_visited = atomic_load(&f.n_visited);
        return ST_OK;
    }
    cpu_for(c->pool, n, GRAIN, start, &f);
    for (f.position = 0; f.position < N_SAMPLED_ARCS; f.position++) {
        cpu_for(c->pool, n, GRAIN, join_sampled, &f);
        cpu_for(c->pool, n, GRAIN, compress, &f);
    }
    if (c->graph->is_symmetric)
        f.skipped = large_component(&f);
    cpu_for(c->pool, n, GRAIN, join_others, &f);
    cpu_for(c->pool, n, GRAIN, compress, &f);
    out->n_visited = N_SAMPLED_ARCS * n + atomic_load(&f.n_visited);
    return ST_OK;
}
