/*
 * components.c - concurrent disjoint sets with compare-and-swap links and path splitting.
 */
#include "graph/cluster/components.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Edges that a thread joins per call. */
enum { BATCH = 4096 };

struct components {
    int64_t n;
    _Atomic int32_t *parent; /* [n] at most the node itself */
};

typedef struct {
    components_t *components;
    const edge_t *edges;
    int64_t n_edges;
} join_t;

status_t components_create(int64_t n, components_t **out)
{
    components_t *c = calloc(1, sizeof(*c));

    if (c != NULL)
        c->parent = malloc((size_t)n * sizeof(*c->parent) + 1);
    if (c == NULL || c->parent == NULL) {
        components_destroy(c);
        return log_nomem("components of a graph");
    }
    c->n = n;
    for (int64_t i = 0; i < n; i++)
        atomic_init(&c->parent[i], (int32_t)i);
    *out = c;
    return ST_OK;
}

static inline int32_t parent_of(components_t *c, int32_t node)
{
    return atomic_load_explicit(&c->parent[node], memory_order_relaxed);
}

/* Relaxed order is enough: no other data are published with a parent. */
static inline bool swap_parent(components_t *c, int32_t node, int32_t old, int32_t new)
{
    return atomic_compare_exchange_strong_explicit(&c->parent[node], &old, new,
                                                   memory_order_relaxed,
                                                   memory_order_relaxed);
}

static int32_t find(components_t *c, int32_t node)
{
    for (;;) {
        int32_t parent, grandparent;

        for (int try = 0; try < 2; try++) { /* two tries, as in the paper */
            parent = parent_of(c, node);
            grandparent = parent_of(c, parent);
            if (parent == grandparent)
                return parent;
            swap_parent(c, node, parent, grandparent);
        }
        node = parent;
    }
}

static void unite(components_t *c, int32_t a, int32_t b)
{
    for (;;) {
        a = find(c, a);
        b = find(c, b);
        if (a == b)
            return;
        if (a < b ? swap_parent(c, b, b, a) : swap_parent(c, a, a, b))
            return;
    }
}

static void join_batch(void *ctx, int64_t index, int thread)
{
    const join_t *join = ctx;
    int64_t begin = index * BATCH;
    int64_t end = begin + BATCH < join->n_edges ? begin + BATCH : join->n_edges;

    (void)thread;
    for (int64_t e = begin; e < end; e++)
        unite(join->components, join->edges[e].a, join->edges[e].b);
}

void components_join(components_t *c, pool_t *pool, const edge_t *edges, int64_t n_edges)
{
    join_t join = {c, edges, n_edges};

    pool_run(pool, (n_edges + BATCH - 1) / BATCH, join_batch, &join);
}

void components_label(components_t *c, int32_t *label)
{
    for (int64_t i = 0; i < c->n; i++) /* parents have lower numbers */
        label[i] =
            parent_of(c, (int32_t)i) == i ? (int32_t)i : label[parent_of(c, (int32_t)i)];
}

void components_destroy(components_t *c)
{
    if (c == NULL)
        return;
    free(c->parent);
    free(c);
}
