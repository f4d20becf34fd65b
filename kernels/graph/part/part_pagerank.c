/*
 * part_pagerank.c - PageRank on several ranks: each iteration fetches what the nodes of
 * other ranks give to their arcs, and updates this rank's nodes.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/cpu/tree_row.h"
#include "kernels/graph/part/part_cpu_state.h"
#include "kernels/graph/part/part_halo.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const graph_spec_t *spec;
    const part_graph_t *p;
    const csr_rows_t *in;
    part_halo_t halo;
    double *rank;             /* [own] the column */
    double *share[2];         /* [own + ghosts] what a node gives to each of its arcs */
    part_sums_t *block, *all; /* [own blocks], [blocks] */
    part_sums_t total;
    double base;
} pagerank_t;

static void divide(const pagerank_t *r, int64_t u, double *share, tree_sum_t *dangling)
{
    int64_t degree = r->p->out.first[u + 1] - r->p->out.first[u];

    share[u] = degree > 0 ? r->rank[u] / (double)degree : 0;
    tree_sum_add(dangling, degree > 0 ? 0 : r->rank[u]);
}

/* Divide the ranks as they are. */
static void divide_block(void *ctx, int64_t begin, int64_t end)
{
    pagerank_t *r = ctx;
    tree_sum_t dangling = {.n = 0};

    for (int64_t u = begin; u < end; u++)
        divide(r, u, r->share[0], &dangling);
    r->block[begin / r->p->block] = (part_sums_t){0, tree_sum_total(&dangling)};
}

static void update_block(void *ctx, int64_t begin, int64_t end)
{
    pagerank_t *r = ctx;
    tree_sum_t dangling = {.n = 0}, change = {.n = 0};

    for (int64_t v = begin; v < end; v++) {
        int64_t first = r->in->first[v];
        double sum =
            tree_row_gather(r->share[0], r->in->to + first, r->in->first[v + 1] - first);
        double rank = r->base + r->spec->damping * sum;

        tree_sum_add(&change, fabs(rank - r->rank[v]));
        r->rank[v] = rank;
        divide(r, v, r->share[1], &dangling);
    }
    r->block[begin / r->p->block] =
        (part_sums_t){tree_sum_total(&change), tree_sum_total(&dangling)};
}

static status_t create(part_cpu_t *c)
{
    part_graph_t *p = c->context.graph;
    size_t n = (size_t)part_graph_n_blocks(p->n_nodes);
    pagerank_t *r = c->own = calloc(1, sizeof(*r));

    if (r == NULL)
        return log_nomem("PageRank");
    r->spec = c->context.spec;
    r->p = p;
    r->in = part_graph_in(p);
    r->rank = c->context.column[0];
    r->block = calloc(n, sizeof(*r->block));
    r->all = calloc(n, sizeof(*r->all));
    return r->block != NULL && r->all != NULL ? ST_OK : log_nomem("PageRank");
}

static status_t begin(part_cpu_t *c, int64_t k)
{
    pagerank_t *r = c->own;
    int64_t n_own = part_graph_n_own(r->p);
    status_t st =
        part_halo_create(r->p, part_graph_in(c->context.graph), &c->comm, &r->halo);

    if (st != ST_OK)
        return st;
    for (int i = 0; i < 2; i++) {
        size_t n = (size_t)(n_own + r->halo.n_ghosts);

        if ((r->share[i] = malloc(n * sizeof(double) + 1)) == NULL)
            return log_nomem("PageRank");
    }
    for (int64_t u = 0; k == 0 && u < n_own; u++)
        r->rank[u] = 1 / (double)r->p->n_nodes;
    part_cpu_for(c, divide_block, r);
    return part_sums_total(r->p, &c->comm, r->block, r->all, &r->total);
}

static status_t step(part_cpu_t *c, int64_t k, part_step_report_t *out)
{
    pagerank_t *r = c->own;
    double *share = r->share[0];
    status_t st = part_halo_exchange(&r->halo, &c->comm, share);

    if (st != ST_OK)
        return st;
    r->base = part_sums_base(r->spec, r->p->n_nodes, &r->total);
    part_cpu_for(c, update_block, r);
    r->share[0] = r->share[1];
    r->share[1] = share;
    if ((st = part_sums_total(r->p, &c->comm, r->block, r->all, &r->total)) != ST_OK)
        return st;
    out->is_over =
        k + 1 >= r->spec->max_iterations || !(r->total.change >= r->spec->tolerance);
    out->n_visited = r->in->first[part_graph_n_own(r->p)];
    return ST_OK;
}

static void destroy(part_cpu_t *c)
{
    pagerank_t *r = c->own;

    if (r == NULL)
        return;
    part_halo_free(&r->halo);
    free(r->share[0]);
    free(r->share[1]);
    free(r->block);
    free(r->all);
    free(r);
}

const part_cpu_algorithm_t part_cpu_pagerank = {create, begin, step, destroy};
