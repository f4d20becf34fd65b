/*
 * serial_products.c - products of a matrix and a vector.
 */
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/tree_sum.h"
#include "kernels/graph/serial/serial_algorithms.h"

/* Sparse matrix times vector, one row after the other. */
status_t serial_spmv(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    double *y = out->column[0];

    (void)task;
    for (int64_t u = 0; u < g->n_nodes; u++) {
        tree_sum_t sum = {0};

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            tree_sum_add(&sum, graph_arc_value(g, a) * s->spec->x[g->to[a]]);
        y[u] = tree_sum_total(&sum);
    }
    out->n_iterations = 1;
    out->n_visited = g->n_arcs;
    return ST_OK;
}
