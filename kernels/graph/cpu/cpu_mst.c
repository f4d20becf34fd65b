/*
 * cpu_mst.c - minimum spanning forest by Boruvka's algorithm (1926).
 *
 * In each round every tree takes the smallest edge that leaves it.  Edges are compared by
 * weight, then by the smaller and the larger node, so no two are equal and the forest is
 * that of Kruskal's algorithm.  A node keeps its smallest arc until that leads into its
 * own tree; only then it reads its row again.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/cpu_state.h"

#include <stdlib.h>

enum { GRAIN = 1024 };
enum { UNKNOWN = -2, NONE = -1 }; /* instead of an arc */

typedef struct {
    const csr_t *g;
    _Atomic int32_t *parent; /* [n_nodes] trees, as shared_sets_join makes them */
    int32_t *tree;           /* [n_nodes] the tree of each node in this round */
    int64_t *smallest;       /* [n_nodes] the smallest arc to another tree */
    _Atomic int32_t *leaves; /* [n_nodes] by tree: the node whose smallest arc is its
                              * smallest, or -1 */
    int64_t *arcs;           /* [n_nodes] the forest */
    atomic_llong n_arcs, n_visited;
} boruvka_t;

/* @return whether arc a of node u is smaller than arc b of node v */
static inline bool is_smaller(const csr_t *g, int32_t u, int64_t a, int32_t v, int64_t b)
{
    double x = graph_arc_value(g, a), y = graph_arc_value(g, b);
    int32_t s = g->to[a], t = g->to[b];
    int32_t low_a = u < s ? u : s, low_b = v < t ? v : t;

    if (x != y)
        return x < y;
    return low_a != low_b ? low_a < low_b : (u < s ? s : u) < (v < t ? t : v);
}

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++) {
        atomic_init(&b->parent[u], (int32_t)u);
        b->smallest[u] = UNKNOWN;
    }
}

static void label(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++) {
        b->tree[u] = shared_sets_root(b->parent, (int32_t)u);
        atomic_store_explicit(&b->leaves[u], -1, memory_order_relaxed);
    }
}

/* @return the smallest arc of a node to another tree, or NONE */
static int64_t read_row(const boruvka_t *b, int32_t u)
{
    const csr_t *g = b->g;
    int64_t smallest = NONE;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        if (b->tree[g->to[a]] != b->tree[u] &&
            (smallest == NONE || is_smaller(g, u, a, u, smallest)))
            smallest = a;
    return smallest;
}

/* Let a tree leave from node u if it has no smaller arc.  The arc that another thread
 * found is read after its node. */
static void offer(boruvka_t *b, int32_t u)
{
    _Atomic int32_t *leaves = &b->leaves[b->tree[u]];
    int32_t old = atomic_load_explicit(leaves, memory_order_acquire);

    while ((old < 0 || is_smaller(b->g, u, b->smallest[u], old, b->smallest[old])) &&
           !atomic_compare_exchange_weak_explicit(leaves, &old, u, memory_order_acq_rel,
                                                  memory_order_acquire))
        ;
}

static void find_smallest(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;
    int64_t n_visited = 0;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        if (b->smallest[u] == NONE)
            continue;
        if (b->smallest[u] == UNKNOWN ||
            b->tree[b->g->to[b->smallest[u]]] == b->tree[u]) {
            b->smallest[u] = read_row(b, u);
            n_visited += csr_degree(b->g, u);
        }
        if (b->smallest[u] != NONE)
            offer(b, u);
    }
    atomic_fetch_add_explicit(&b->n_visited, n_visited, memory_order_relaxed);
}

/* @return the position of the arc u -> v, which exists */
static int64_t find_arc(const csr_t *g, int32_t u, int32_t v)
{
    int64_t low = g->first[u], high = g->first[u + 1];

    while (high - low > 1) {
        int64_t middle = (low + high) / 2;

        if (g->to[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Join the trees along their smallest edges.  Two trees may share theirs: the smaller
 * tree adds it to the forest. */
static void join(void *ctx, int64_t begin, int64_t end, int thread)
{
    boruvka_t *b = ctx;
    const csr_t *g = b->g;

    (void)thread;
    for (int32_t tree = (int32_t)begin; tree < end; tree++) {
        int32_t u = atomic_load_explicit(&b->leaves[tree], memory_order_relaxed), v,
                other;

        if (u < 0)
            continue;
        v = g->to[b->smallest[u]];
        other = b->tree[v];
        if (other < tree &&
            atomic_load_explicit(&b->leaves[other], memory_order_relaxed) == v &&
            g->to[b->smallest[v]] == u)
            continue;
        b->arcs[atomic_fetch_add(&b->n_arcs, 1)] =
            u < v ? b->smallest[u] : find_arc(g, v, u);
        shared_sets_join(b->parent, u, v);
    }
}

status_t cpu_mst(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_before = -1;
    boruvka_t b = {.g = c->graph,
                   .parent = cpu_array(c, 0, n, sizeof(*b.parent)),
                   .tree = cpu_array(c, 1, n, sizeof(*b.tree)),
                   .smallest = cpu_array(c, 2, n, sizeof(*b.smallest)),
                   .leaves = cpu_array(c, 3, n, sizeof(*b.leaves))};

    (void)task;
    if (b.parent == NULL || b.tree == NULL || b.smallest == NULL || b.leaves == NULL)
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
    }
    out->n_visited = atomic_load(&b.n_visited);
    graph_result_sort_arcs(out);
    return ST_OK;
}
