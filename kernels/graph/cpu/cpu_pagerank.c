/*
 * cpu_pagerank.c - PageRank by Jacobi iterations: one pass over the nodes each, which
 * adds up the arcs in and makes the shares of the next iteration.
 *
 * The sums over all nodes are tree sums: a range of nodes is a subtree.
 */
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/cpu_state.h"
#include "kernels/graph/cpu/tree_row.h"

#include <math.h>

enum { GRAIN = 1024 }; /* a power of two */

typedef struct {
    const csr_t *g, *in;
    double base, damping;
    double *rank, *share, *next_share;
    double *change, *dangling; /* [ranges] */
} pagerank_t;

/* What node u gives to each arc, and to all nodes if it has none. */
static void divide(pagerank_t *p, int64_t u, double *share, tree_sum_t *dangling)
{
    int64_t degree = csr_degree(p->g, (int32_t)u);

    share[u] = degree > 0 ? p->rank[u] / (double)degree : 0;
    tree_sum_add(dangling, degree > 0 ? 0 : p->rank[u]);
}

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    pagerank_t *p = ctx;
    tree_sum_t dangling = {.n = 0};

    (void)thread;
    for (int64_t u = begin; u < end; u++) {
        p->rank[u] = 1 / (double)p->g->n_nodes;
        divide(p, u, p->share, &dangling);
    }
    p->dangling[begin / GRAIN] = tree_sum_total(&dangling);
}

static void update(void *ctx, int64_t begin, int64_t end, int thread)
{
    pagerank_t *p = ctx;
    tree_sum_t dangling = {.n = 0}, change = {.n = 0};

    (void)thread;
    for (int64_t v = begin; v < end; v++) {
        double sum = tree_row_gather(p->share, p->in->to + p->in->first[v],
                                     csr_degree(p->in, (int32_t)v));
        double rank = p->base + p->damping * sum;

        tree_sum_add(&change, fabs(rank - p->rank[v]));
        p->rank[v] = rank;
        divide(p, v, p->next_share, &dangling);
    }
    p->dangling[begin / GRAIN] = tree_sum_total(&dangling);
    p->change[begin / GRAIN] = tree_sum_total(&change);
}

static double add_up(const double *of_range, int64_t n_nodes)
{
    tree_sum_t sum = {.n = 0};

    for (int64_t r = 0; r < (n_nodes + GRAIN - 1) / GRAIN; r++)
        tree_sum_add(&sum, of_range[r]);
    return tree_sum_total(&sum);
}

status_t cpu_pagerank(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_ranges = n / GRAIN + 1;
    pagerank_t p = {.g = c->graph,
                    .in = c->in,
                    .damping = c->spec->damping,
                    .rank = out->column[0],
                    .share = cpu_array(c, 0, n, sizeof(double)),
                    .next_share = cpu_array(c, 1, n, sizeof(double)),
                    .change = cpu_array(c, 2, n_ranges, sizeof(double)),
                    .dangling = cpu_array(c, 3, n_ranges, sizeof(double))};
    double change = INFINITY;

    (void)task;
    if (p.share == NULL || p.next_share == NULL || p.change == NULL || p.dangling == NULL)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, start, &p);
    while (out->n_iterations < c->spec->max_iterations && change >= c->spec->tolerance) {
        double *share = p.share;

        if (graph_cancelled(c->run))
            return ST_ESTOPPED;
        p.base = graph_pagerank_base(c->spec, n, add_up(p.dangling, n));
        cpu_for(c->pool, n, GRAIN, update, &p);
        p.share = p.next_share;
        p.next_share = share;
        change = add_up(p.change, n);
        out->n_iterations++;
        out->n_visited += c->graph->n_arcs;
    }
    return ST_OK;
}
