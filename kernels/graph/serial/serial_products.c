/*
 * serial_products.c - sums over the rows of a matrix: products with a vector, PageRank.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/tree_sum.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <math.h>
#include <stdlib.h>

/* ---- sparse matrix times vector, one row after the other ---- */

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

/* ---- PageRank by Jacobi iterations: each node adds up its arcs in ---- */

/* @param share  [n_nodes] what each node gives to each of its arcs
 * @return the ranks of nodes without arcs */
static double divide_ranks(const csr_t *g, const double *rank, double *share)
{
    tree_sum_t dangling = {0};

    for (int32_t u = 0; u < g->n_nodes; u++) {
        int64_t degree = csr_degree(g, u);

        share[u] = degree > 0 ? rank[u] / (double)degree : 0;
        tree_sum_add(&dangling, degree > 0 ? 0 : rank[u]);
    }
    return tree_sum_total(&dangling);
}

/* @return the sum of the ranks' changes */
static double update_ranks(const serial_t *s, double base, const double *share,
                           double *rank)
{
    tree_sum_t change = {0};

    for (int32_t v = 0; v < s->in->n_nodes; v++) {
        tree_sum_t sum = {0};
        double new_rank;

        for (int64_t a = s->in->first[v]; a < s->in->first[v + 1]; a++)
            tree_sum_add(&sum, share[s->in->to[a]]);
        new_rank = base + s->spec->damping * tree_sum_total(&sum);
        tree_sum_add(&change, fabs(new_rank - rank[v]));
        rank[v] = new_rank;
    }
    return tree_sum_total(&change);
}

status_t serial_pagerank(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    double *rank = out->column[0];
    double *share = malloc((size_t)(g->n_nodes + 1) * sizeof(*share));
    double change = INFINITY;

    (void)task;
    if (share == NULL)
        return log_nomem("PageRank");
    for (int64_t u = 0; u < g->n_nodes; u++)
        rank[u] = 1 / (double)g->n_nodes;
    while (out->n_iterations < s->spec->max_iterations && change >= s->spec->tolerance) {
        double dangling = divide_ranks(g, rank, share);

        change = update_ranks(s, graph_pagerank_base(s->spec, g->n_nodes, dangling),
                              share, rank);
        out->n_iterations++;
        out->n_visited += g->n_arcs;
    }
    free(share);
    return ST_OK;
}
