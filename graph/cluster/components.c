/*
 * components.c - joins edges in shared disjoint sets, in batches.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"

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

static void join_batch(void *ctx, int64_t index, int thread)
{
    const join_t *join = ctx;
    int64_t begin = index * BATCH;
    int64_t end = begin + BATCH < join->n_edges ? begin + BATCH : join->n_edges;

    (void)thread;
    for (int64_t e = begin; e < end; e++)
        shared_sets_join(join->components->parent, join->edges[e].a, join->edges[e].b);
}

void components_join(components_t *c, pool_t *pool, const edge_t *edges, int64_t n_edges)
{
    join_t join = {c, edges, n_edges};

    pool_run(pool, (n_edges + BATCH - 1) / BATCH, join_batch, &join);
}

void components_label(components_t *c, int32_t *label)
{
    for (int64_t i = 0; i < c->n; i++) { /* parents have lower numbers */
        int32_t parent = shared_sets_parent(c->parent, (int32_t)i);

        label[i] = parent == i ? parent : label[parent];
    }
}

void components_destroy(components_t *c)
{
    if (c == NULL)
        return;
    free(c->parent);
    free(c);
}
