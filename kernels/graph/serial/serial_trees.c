/*
 * serial_trees.c - sums and maxima of trees, from the last node of the order to the
 * first.
 */
#include "kernels/graph/common/forest.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <string.h>

static void add_up(const forest_t *f, int64_t n, int32_t *descendants, int32_t *leaves)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const int32_t u = f->order[i], up = f->parent[u];

        leaves[u] += descendants[u] == 0;
        if (up < 0)
            continue;
        descendants[up] += descendants[u] + 1;
        leaves[up] += leaves[u];
    }
}

static void add_counts(const forest_t *f, int64_t n, int64_t *count)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const int32_t u = f->order[i], up = f->parent[u];

        if (up >= 0)
            count[up] += count[u];
    }
}

static void raise(const forest_t *f, int64_t n, int32_t *height)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const int32_t u = f->order[i], up = f->parent[u];

        if (up >= 0 && height[up] <= height[u])
            height[up] = height[u] + 1;
    }
}

/* Begin with the columns at 0. */
static status_t begin(const csr_t *g, graph_result_t *out, int n_columns, forest_t *f)
{
    for (int i = 0; i < n_columns; i++)
        memset(out->column[i], 0, (size_t)g->n_nodes * sizeof(int32_t));
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    return forest_create(g, f);
}

status_t serial_descendants(const serial_t *s, const graph_task_t *task,
                            graph_result_t *out)
{
    const int64_t n = s->graph->n_nodes;
    forest_t f;
    status_t st = begin(s->graph, out, 2, &f);

    if (st != ST_OK)
        return st;
    if (task->sample > 0) {
        leaf_counts_spread(s->spec->leaves, task->sample - 1, n, out->count);
        add_counts(&f, n, out->count);
    } else
        add_up(&f, n, out->column[0], out->column[1]);
    forest_free(&f);
    return ST_OK;
}

status_t serial_heights(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    forest_t f;
    status_t st = begin(s->graph, out, 1, &f);

    (void)task;
    if (st != ST_OK)
        return st;
    raise(&f, s->graph->n_nodes, out->column[0]);
    forest_free(&f);
    return ST_OK;
}
