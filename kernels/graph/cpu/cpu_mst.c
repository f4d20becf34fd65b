/*
 * cpu_mst.c - minimum spanning forest by Boruvka's algorithm (1926).
 *
 * In each round every tree takes the smallest edge that leaves it.  Edges are compared by
 * weight, then by the position of their arc from the smaller node, so no two are equal
 * and the forest is that of Kruskal's algorithm.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/shared_sets.h"
#include "kernels/graph/cpu/cpu_state.h"

#include <stdlib.h>

enum { GRAIN = 1024 };

typedef struct {
    const csr_t *g;
    _Atomic int32_t *parent; /* [n_nodes] trees, as shared_sets.h has them */
    int32_t *tree;           /* [n_nodes] the tree of each node in this round */
    atomic_llong *smallest;  /* [n_nodes] arc that leaves a tree, or -1 */
    int64_t *arcs;           /* [n_nodes] the forest */
    atomic_llong n_arcs;
} boruvka_t;

static inline bool is_smaller(const csr_t *g, int64_t a, int64_t b)
{
    double x = graph_arc_value(g, a), y = graph_arc_value(g, b);

    return x != y ? x < y : a < b;
}

static inline void lower(boruvka_t *b, int32_t tree, int64_t arc)
{
    long long old = atomic_load_explicit(&b->smallest[tree], memory_order_relaxed);

    while ((old < 0 || is_smaller(b->g, arc, old)) &&
           !atomic_compare_exchange_weak_explicit(&b->smallest[tree], &old, arc,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        atomic_init(&b->parent[u], (int32_t)u);
}

static void label(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++) {
        b->tree[u] = shared_sets_root(b->parent, (int32_t)u);
        atomic_store_explicit(&b->smallest[u], -1, memory_order_relaxed);
    }
}

static void find_smallest(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;
    const csr_t *g = b->g;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];

            if (u >= v || b->tree[u] == b->tree[v])
                continue;
            lower(b, b->tree[u], a);
            lower(b, b->tree[v], a);
        }
}

/* @return the node that an arc starts from */
static int32_t source_of(const csr_t *g, int64_t arc)
{
    int64_t low = 0, high = g->n_nodes; /* first[low] <= arc < first[high] */

    while (high - low > 1) {
        int64_t middle = (low + high) / 2;

        if (g->first[middle] <= arc)
            low = middle;
        else
            high = middle;
    }
    return (int32_t)low;
}

/* Join the trees along their smallest edges.  Two trees may share theirs: the smaller
 * tree adds it to the forest. */
static void join(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;

    (void)thread;
    for (int64_t t = begin; t < end; t++) {
        int64_t arc = atomic_load_explicit(&b->smallest[t], memory_order_relaxed);
        int32_t u, v, other;

        if (arc < 0)
            continue;
        u = source_of(b->g, arc);
        v = b->g->to[arc];
        other = b->tree[u] == t ? b->tree[v] : b->tree[u];
        if (other < t &&
            atomic_load_explicit(&b->smallest[other], memory_order_relaxed) == arc)
            continue;
        b->arcs[atomic_fetch_add(&b->n_arcs, 1)] = arc;
        shared_sets_join(b->parent, u, v);
    }
}

static int by_position(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

status_t cpu_mst(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_before = -1;
    boruvka_t b = {.g = c->graph,
                   .parent = cpu_array(c, 0, n, sizeof(*b.parent)),
                   .tree = cpu_array(c, 1, n, sizeof(*b.tree)),
                   .smallest = cpu_array(c, 2, n, sizeof(*b.smallest))};

    (void)task;
    if (b.parent == NULL || b.tree == NULL || b.smallest == NULL)
        return ST_ENOMEM;
    b.arcs = out->arcs = malloc((size_t)(n + 1) * sizeof(*out->arcs));
    if (b.arcs == NULL)
        return log_nomem("a spanning forest");
    cpu_for(c->pool, n, GRAIN, start, &b);
    while (out->n_arcs > n_before) {
        n_before = out->n_arcs;
        cpu_for(c->pool, n, GRAIN, label, &b);
        cpu_for(c->pool, n, GRAIN, find_smallest, &b);
        cpu_for(c->pool, n, GRAIN, join, &b);
        out->n_arcs = atomic_load(&b.n_arcs);
        out->n_iterations++;
        out->n_visited += c->graph->n_arcs;
    }
    qsort(out->arcs, (size_t)out->n_arcs, sizeof(*out->arcs), by_position);
    return ST_OK;
}
