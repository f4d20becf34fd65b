/*
 * forest.c - parents by arcs, then the order by a search from the roots.
 */
#include "kernels/graph/common/forest.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>

/* @return the first node that two arcs lead to, or -1 */
static int32_t find_parents(const csr_t *g, int32_t *parent)
{
    int32_t shared = -1;

    for (int64_t u = 0; u < g->n_nodes; u++)
        parent[u] = -1;
    for (int32_t u = 0; u < g->n_nodes; u++)
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            const int32_t v = g->to[a];

            if (parent[v] >= 0 && (shared < 0 || v < shared))
                shared = v;
            parent[v] = u;
        }
    return shared;
}

/* @return how many nodes the roots reach */
static int64_t find_order(const csr_t *g, const int32_t *parent, int32_t *order)
{
    int64_t n = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        if (parent[u] < 0)
            order[n++] = u;
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = g->first[order[i]]; a < g->first[order[i] + 1]; a++)
            order[n++] = g->to[a];
    return n;
}

/* @return the smallest node of a cycle that u is on */
static int32_t smallest_of_cycle(const int32_t *parent, int32_t u)
{
    int32_t smallest = u;

    for (int32_t v = parent[u]; v != u; v = parent[v])
        if (v < smallest)
            smallest = v;
    return smallest;
}

/* Climb from each node to one that was seen; if in the same climb, it is on a cycle.
 * @param seen_from  [n_nodes] overwritten */
static int32_t find_cycle(const csr_t *g, const int32_t *parent, int32_t *seen_from)
{
    for (int64_t u = 0; u < g->n_nodes; u++)
        seen_from[u] = -1;
    for (int32_t start = 0; start < g->n_nodes; start++) {
        int32_t u = start;

        while (u >= 0 && seen_from[u] < 0) {
            seen_from[u] = start;
            u = parent[u];
        }
        if (u >= 0 && seen_from[u] == start)
            return smallest_of_cycle(parent, u);
    }
    return -1;
}

status_t forest_create(const csr_t *g, forest_t *out)
{
    const size_t bytes = (size_t)(g->n_nodes + 1) * sizeof(int32_t);
    forest_t f = {.fault = FOREST_SOUND, .node = -1};

    f.parent = malloc(bytes);
    f.order = malloc(bytes);
    if (f.parent == NULL || f.order == NULL) {
        forest_free(&f);
        return log_nomem("the parents of a tree");
    }
    if ((f.node = find_parents(g, f.parent)) >= 0)
        f.fault = FOREST_TWO_PARENTS;
    else if (find_order(g, f.parent, f.order) < g->n_nodes) {
        f.fault = FOREST_CYCLE;
        f.node = find_cycle(g, f.parent, f.order);
    }
    *out = f;
    return ST_OK;
}

void forest_free(forest_t *f)
{
    free(f->parent);
    free(f->order);
    *f = (forest_t){0};
}

status_t forest_check(const csr_t *g, const forest_t *f, char *const *node_names,
                      const char *graph_name, const char *algorithm)
{
    const char *name = NULL;

    if (f->fault == FOREST_SOUND || graph_name == NULL)
        return f->fault == FOREST_SOUND ? ST_OK : ST_EINPUT;
    if (node_names != NULL)
        name = node_names[f->node];
    log_error("%s: node %" PRId64
              "%s%.80s%s %s, but %s is for trees, whose arcs lead from parents "
              "to children; correct the graph%s",
              graph_name, g->id[f->node], name != NULL ? " ('" : "",
              name != NULL ? name : "", name != NULL ? "')" : "",
              f->fault == FOREST_CYCLE ? "is on a cycle" : "has two parents", algorithm,
              g->is_symmetric ? ", or give --directed" : "");
    return ST_EINPUT;
}
