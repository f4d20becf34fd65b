/*
 * cpu_pagerank.c - PageRank by Jacobi iterations: one pass over the nodes each, which
 * adds up the arcs in and makes the shares of the next iteration.
 *
 * The sums over all nodes are tree sums: a range of nodes is a subtree.
 */
#include "kernels/graph/cpu/cpu_pagerank.h"

#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/tree_row.h"

#include <math.h>

enum { GRAIN = CPU_PAGERANK_GRAIN };

typedef struct {
    const csr_t *g, *in;
    const double *first_rank; /* NULL: all are equal */
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

static void set_ranks(void *ctx, int64_t begin, int64_t end, int thread)
{
    pagerank_t *p = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        p->rank[u] = p->first_rank != NULL ? p->first_rank[u] : 1 / (double)p->g->n_nodes;
}

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    pagerank_t *p = ctx;
    tree_sum_t dangling = {.n = 0};

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        divide(p, u, p->share, &dangling);
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

status_t cpu_pagerank(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_ranges = (n + GRAIN - 1) / GRAIN;
    pagerank_t p = {.g = c->graph,
                    .in = c->in,
                    .first_rank = pagerank_first_rank(c->spec),
                    .damping = c->spec->damping,
                    .rank = out->column[0],
                    .share = cpu_array(c, 0, n, sizeof(double)),
                    .next_share = cpu_array(c, 1, n, sizeof(double)),
                    .change = cpu_array(c, 2, n_ranges, sizeof(double)),
                    .dangling = cpu_array(c, 3, n_ranges, sizeof(double))};
    double change = INFINITY;
    int64_t n_set_passes = 0;
    status_t st;

    (void)task;
    if (p.share == NULL || p.next_share == NULL || p.change == NULL || p.dangling == NULL)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, set_ranks, &p);
    if (pagerank_has_sets(c->spec) &&
        (st = cpu_pagerank_sets(c, out, &n_set_passes, &change)) != ST_OK)
        return st;
    cpu_for(c->pool, n, GRAIN, start, &p);
    while (out->n_iterations < c->spec->max_iterations && change >= c->spec->tolerance) {
        double *share = p.share;

        if (graph_cancelled(c->run))
            return ST_ESTOPPED;
        p.base = graph_pagerank_base(c->spec, n, tree_sum_of(p.dangling, n_ranges));
        cpu_for(c->pool, n, GRAIN, update, &p);
        p.share = p.next_share;
        p.next_share = share;
        change = tree_sum_of(p.change, n_ranges);
        out->n_iterations++;
        out->n_visited += c->graph->n_arcs;
    }
    return pagerank_note(c->spec, n_set_passes, out->n_iterations, &out->decisions);
}
