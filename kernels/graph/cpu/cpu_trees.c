/*
 * cpu_trees.c - trees from their leaves upwards.
 *
 * A thread takes a leaf and climbs: it adds what it has found to the parent, and goes on
 * with the parent only if all other children have been there.  So each node is visited
 * once, at any depth, and there are no levels to wait for.
 */
#include "kernels/graph/cpu/cpu_state.h"

#include <stdatomic.h>

enum { GRAIN = 4096 };

typedef struct {
    const csr_t *g;
    int32_t *parent;
    atomic_int *missing; /* children that are not done */
    /* what is passed up: one of these, or descendants and leaves */
    atomic_int *height;
    _Atomic int64_t *count; /* of leaves at first */
    atomic_int *descendants, *leaves;
} trees_t;

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    const trees_t *t = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        t->parent[u] = -1;
        atomic_init(&t->missing[u], (int)csr_degree(t->g, u));
        if (t->height != NULL)
            atomic_init(&t->height[u], 0);
        else if (t->count == NULL) {
            atomic_init(&t->descendants[u], 0);
            atomic_init(&t->leaves[u], csr_degree(t->g, u) == 0);
        }
    }
}

static void set_parents(void *ctx, int64_t begin, int64_t end, int thread)
{
    const trees_t *t = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++)
        for (int64_t a = t->g->first[u]; a < t->g->first[u + 1]; a++)
            t->parent[t->g->to[a]] = u;
}

#define LOAD(at)   atomic_load_explicit(at, memory_order_relaxed)
#define ADD(at, n) atomic_fetch_add_explicit(at, n, memory_order_relaxed)

static void raise_to(atomic_int *at, int height)
{
    int now = LOAD(at);

    while (now < height &&
           !atomic_compare_exchange_weak_explicit(at, &now, height, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/* Give a node's values to its parent. */
static void pass_up(const trees_t *t, int32_t u, int32_t up)
{
    if (t->height != NULL)
        raise_to(&t->height[up], LOAD(&t->height[u]) + 1);
    else if (t->count != NULL)
        ADD(&t->count[up], LOAD(&t->count[u]));
    else {
        ADD(&t->descendants[up], LOAD(&t->descendants[u]) + 1);
        ADD(&t->leaves[up], LOAD(&t->leaves[u]));
    }
}

static void climb(void *ctx, int64_t begin, int64_t end, int thread)
{
    const trees_t *t = ctx;

    (void)thread;
    for (int32_t leaf = (int32_t)begin; leaf < end; leaf++) {
        int32_t u = leaf, up;

        if (csr_degree(t->g, leaf) > 0)
            continue;
        while ((up = t->parent[u]) >= 0) {
            pass_up(t, u, up);
            if (atomic_fetch_sub_explicit(&t->missing[up], 1, memory_order_acq_rel) > 1)
                break;
            u = up;
        }
    }
}

static status_t run(cpu_t *c, trees_t *t, graph_result_t *out)
{
    const int64_t n = c->graph->n_nodes;

    t->g = c->graph;
    t->parent = cpu_array(c, 0, n, sizeof(*t->parent));
    t->missing = cpu_array(c, 1, n, sizeof(*t->missing));
    if (t->parent == NULL || t->missing == NULL)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, start, t);
    cpu_for(c->pool, n, GRAIN, set_parents, t);
    cpu_for(c->pool, n, GRAIN, climb, t);
    out->n_iterations = 1;
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}

status_t cpu_descendants(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    trees_t t = {.descendants = out->column[0], .leaves = out->column[1]};

    if (task->sample > 0) {
        leaf_counts_spread(c->spec->leaves, task->sample - 1, c->graph->n_nodes,
                           out->count);
        t = (trees_t){.count = (_Atomic int64_t *)out->count};
    }
    return run(c, &t, out);
}

status_t cpu_heights(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    trees_t t = {.height = out->column[0]};

    (void)task;
    return run(c, &t, out);
}
