/*
 * cpu_coloring.c - the greedy coloring in rounds (Jones, Plassmann 1993): a node takes
 * its color when all neighbors that come before it have theirs.
 */
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/cpu/cpu_rounds.h"

#include <stdatomic.h>
#include <string.h>

enum { GRAIN = 4096 };

typedef struct {
    const csr_t *g;
    uint64_t *key;
    _Atomic int32_t *color;
    int32_t *taken_by; /* [threads][n_colors] the node that last found a color taken */
    int64_t n_colors;  /* more than there can be */
} coloring_t;

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    coloring_t *s = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        s->key[u] = graph_coloring_key(s->g, u);
        atomic_init(&s->color[u], -1);
    }
}

static bool decide(void *ctx, int32_t u, int thread)
{
    coloring_t *s = ctx;
    const csr_t *g = s->g;
    int32_t *taken_by = s->taken_by + thread * s->n_colors, c = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t v = g->to[a], color;

        if (!graph_key_before(s->key, v, u))
            continue;
        color = atomic_load_explicit(&s->color[v], memory_order_relaxed);
        if (color < 0)
            return false;
        taken_by[color] = u;
    }
    while (taken_by[c] == u)
        c++;
    atomic_store_explicit(&s->color[u], c, memory_order_relaxed);
    return true;
}

status_t cpu_coloring(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_colors = csr_max_degree(c->graph) + 2;
    int32_t *nodes = cpu_array(c, 1, n, sizeof(*nodes));
    int32_t *waiting = cpu_array(c, 2, n, sizeof(*waiting));
    coloring_t s = {c->graph, cpu_array(c, 0, n, sizeof(*s.key)), out->column[0],
                    cpu_array(c, 4, c->n_threads * n_colors, sizeof(*s.taken_by)),
                    n_colors};

    (void)task;
    if (nodes == NULL || waiting == NULL || s.key == NULL || s.taken_by == NULL)
        return ST_ENOMEM;
    memset(s.taken_by, -1, (size_t)(c->n_threads * n_colors) * sizeof(*s.taken_by));
    cpu_for(c->pool, n, GRAIN, start, &s);
    if (!cpu_degree_order(c, 3, nodes))
        return ST_ENOMEM;
    out->n_iterations = cpu_rounds(c, nodes, waiting, decide, &s);
    if (out->n_iterations < 0)
        return ST_ENOMEM;
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}
