/*
 * serial_betweenness.c - Brandes' algorithm (2001): per source a breadth-first search
 * that counts shortest paths, then dependencies from the deepest level up.
 *
 * The expressions are those of graph_step.h.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/tree_sum.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

typedef struct {
    int32_t *depth, *order; /* [n_nodes]; order: reached nodes, by depth */
    int64_t n_reached;
    double *n_paths, *dependency; /* [n_nodes] */
} brandes_t;

static void search(const csr_t *g, int32_t source, brandes_t *b)
{
    for (int64_t u = 0; u < g->n_nodes; u++)
        b->depth[u] = -1;
    b->depth[source] = 0;
    b->order[0] = source;
    b->n_reached = 1;
    for (int64_t k = 0; k < b->n_reached; k++) {
        int32_t u = b->order[k];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (b->depth[g->to[a]] < 0) {
                b->depth[g->to[a]] = b->depth[u] + 1;
                b->order[b->n_reached++] = g->to[a];
            }
    }
}

/* @return false if there are too many */
static bool count_paths(const csr_t *in, brandes_t *b)
{
    b->n_paths[b->order[0]] = 1;
    for (int64_t k = 1; k < b->n_reached; k++) {
        int32_t v = b->order[k];
        tree_sum_t sum = {0};

        for (int64_t a = in->first[v]; a < in->first[v + 1]; a++) {
            int32_t u = in->to[a];
            bool is_above = b->depth[u] >= 0 && b->depth[u] == b->depth[v] - 1;

            tree_sum_add(&sum, is_above ? b->n_paths[u] : 0);
        }
        b->n_paths[v] = tree_sum_total(&sum);
        if (b->n_paths[v] > GRAPH_MAX_PATHS)
            return false;
    }
    return true;
}

static void add_dependencies(const csr_t *g, brandes_t *b, double *centrality)
{
    for (int64_t k = b->n_reached - 1; k > 0; k--) { /* all but the source */
        int32_t u = b->order[k];
        tree_sum_t sum = {0};

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];
            bool is_below = b->depth[v] == b->depth[u] + 1;

            tree_sum_add(&sum, is_below ? (1 + b->dependency[v]) / b->n_paths[v] : 0);
        }
        b->dependency[u] = b->n_paths[u] * tree_sum_total(&sum);
        centrality[u] += b->dependency[u];
    }
}

status_t serial_betweenness(const serial_t *s, const graph_task_t *task,
                            graph_result_t *out)
{
    const csr_t *g = s->graph;
    size_t n = (size_t)g->n_nodes + 1;
    brandes_t b = {malloc(n * sizeof(*b.depth)), malloc(n * sizeof(*b.order)), 0,
                   malloc(n * sizeof(*b.n_paths)), malloc(n * sizeof(*b.dependency))};
    status_t st = ST_OK;

    if (b.depth == NULL || b.order == NULL || b.n_paths == NULL || b.dependency == NULL)
        st = log_nomem("betweenness");
    for (int64_t u = 0; u < g->n_nodes; u++)
        ((double *)out->column[0])[u] = 0;
    for (int64_t i = 0; st == ST_OK && i < task->n_sources; i++) {
        search(g, task->sources[i], &b);
        if (count_paths(s->in, &b))
            add_dependencies(g, &b, out->column[0]);
        else
            st = graph_refuse_paths(s->spec, g, task->sources[i]);
        out->n_iterations++;
        out->n_visited += 2 * g->n_arcs;
    }
    free(b.depth);
    free(b.order);
    free(b.n_paths);
    free(b.dependency);
    return st;
}
