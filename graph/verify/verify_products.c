/*
 * verify_products.c - products of the matrix: SpMV and PageRank.
 */
#include "graph/verify/graph_verify.h"

#include "kernels/graph/common/graph_step.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- the product again, in extended precision ---- */

static const double SPMV_ROUNDING = 1e-12;

status_t verify_spmv(const verify_t *v)
{
    const csr_t *g = v->graph;
    const double *x = v->spec->x, *y = v->result->column[0];

    for (int32_t u = 0; u < g->n_nodes; u++) {
        long double sum = 0, magnitude = 0, tolerance;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            long double term = (long double)graph_arc_value(g, a) * x[g->to[a]];

            sum += term;
            magnitude += fabsl(term);
        }
        tolerance = SPMV_ROUNDING * magnitude +
                    (long double)DBL_TRUE_MIN * csr_degree(g, u); /* of underflow */
        /* whether a sum of doubles overflows depends on the order of its terms */
        if (isfinite(y[u]) ? !(fabsl(y[u] - sum) <= tolerance) : magnitude <= DBL_MAX)
            return verify_refuse(v, "y of node %lld is %.17g instead of %.17g",
                                 verify_id(v, u), y[u], (double)sum);
    }
    return ST_OK;
}

/* ---- ranks are a fixed point within the tolerance ---- */

static const double RANK_ROUNDING = 1e-9;

/* Do one more iteration, pushing along arcs. @return the sum of the ranks' changes */
static double change_of(const verify_t *v, double *next)
{
    const csr_t *g = v->graph;
    const double *rank = v->result->column[0];
    double d = v->spec->damping, n = (double)g->n_nodes, dangling = 0, change = 0;

    for (int64_t u = 0; u < g->n_nodes; u++)
        next[u] = 0;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        if (csr_degree(g, u) == 0)
            dangling += rank[u];
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            next[g->to[a]] += rank[u] / (double)csr_degree(g, u);
    }
    if (v->spec->dangling == GRAPH_DANGLING_LEAK)
        dangling = 0;
    for (int64_t u = 0; u < g->n_nodes; u++)
        change += fabs((1 - d) / n + d * (next[u] + dangling / n) - rank[u]);
    return change;
}

/* Iterations from equal ranks on keep their sum.  Otherwise, an iteration changes the
 * sum's distance from 1 by 1 - damping of it.
 * @return how far from 1 it may be */
static double sum_slack(const verify_t *v)
{
    const graph_spec_t *spec = v->spec;

    if (spec->rank == NULL)
        return 0;
    return v->result->n_iterations < spec->max_iterations
               ? spec->tolerance / (1 - spec->damping)
               : INFINITY;
}

static status_t check_ranks(const verify_t *v)
{
    const double *rank = v->result->column[0];
    const double slack = RANK_ROUNDING + sum_slack(v);
    double least = (1 - v->spec->damping) / (double)v->graph->n_nodes, sum = 0;

    for (int32_t u = 0; u < v->graph->n_nodes; u++) {
        if (!(rank[u] >= least * (1 - RANK_ROUNDING)))
            return verify_refuse(v, "the rank of node %lld is %g, below the minimum %g",
                                 verify_id(v, u), rank[u], least);
        sum += rank[u];
    }
    if (sum > 1 + slack ||
        (v->spec->dangling == GRAPH_DANGLING_SPREAD && sum < 1 - slack))
        return verify_refuse(v, "the ranks add up to %.12g", sum);
    return ST_OK;
}

status_t verify_pagerank(const verify_t *v)
{
    const csr_t *g = v->graph;
    double *next = malloc((size_t)(g->n_nodes + 1) * sizeof(*next));
    status_t st = ST_OK;

    if (next == NULL)
        return log_nomem("the check of ranks");
    if (g->n_nodes > 0)
        st = check_ranks(v);
    if (st == ST_OK && v->result->n_iterations < v->spec->max_iterations) {
        double change = change_of(v, next);

        if (change > v->spec->tolerance + RANK_ROUNDING * v->spec->tolerance + 1e-14)
            st = verify_refuse(v, "one more iteration changes the ranks by %g", change);
    }
    free(next);
    return st;
}
