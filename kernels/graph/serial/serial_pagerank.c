/*
 * serial_pagerank.c - PageRank by Jacobi iterations: each node adds up its arcs in.  From
 * the ranks of an earlier graph, passes over working sets come first
 * (pagerank_restart.h).
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/pagerank_restart.h"
#include "kernels/graph/common/tree_sum.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <math.h>
#include <stdlib.h>

/* @param share  [n_nodes] what each node gives to each of its arcs
 * @return the rank of a node */
static double rank_of(const serial_t *s, double base, const double *share, int32_t v)
{
    tree_sum_t sum = {0};

    for (int64_t a = s->in->first[v]; a < s->in->first[v + 1]; a++)
        tree_sum_add(&sum, share[s->in->to[a]]);
    return base + s->spec->damping * tree_sum_total(&sum);
}

/* @return the ranks of nodes without arcs */
static double dangling_of(const csr_t *g, const double *rank)
{
    tree_sum_t dangling = {0};

    for (int32_t u = 0; u < g->n_nodes; u++)
        tree_sum_add(&dangling, csr_degree(g, u) > 0 ? 0 : rank[u]);
    return tree_sum_total(&dangling);
}

static double share_of(const csr_t *g, double rank, int32_t u)
{
    return csr_degree(g, u) > 0 ? rank / (double)csr_degree(g, u) : 0;
}

/* ---- passes over working sets ---- */

typedef struct {
    const serial_t *s;
    pagerank_limits_t limits;
    double *rank, *share;
    double *shared; /* [n_nodes] the ranks that the shares are made of */
    double moved;   /* the distance of these two above which a node has moved */
    bool *in_set;   /* [n_nodes] whether a pass computes the rank */
    double base;
    double dangling; /* of the shared ranks, of which the base is made */
    double drift;    /* since then */
} sets_t;

static double distance(const sets_t *p, int64_t u)
{
    return fabs(p->rank[u] - p->shared[u]);
}

static void renew_share(sets_t *p, int32_t u)
{
    p->shared[u] = p->rank[u];
    p->share[u] = share_of(p->s->graph, p->rank[u], u);
}

/* The next pass is one over all nodes. */
static void renew_all(sets_t *p)
{
    const csr_t *g = p->s->graph;

    for (int32_t u = 0; u < g->n_nodes; u++) {
        renew_share(p, u);
        p->in_set[u] = true;
    }
    p->dangling = dangling_of(g, p->shared);
    p->base = graph_pagerank_base(p->s->spec, g->n_nodes, p->dangling);
    p->drift = 0;
}

/* @return the arcs that were looked at */
static int64_t pass(sets_t *p)
{
    int64_t n_arcs = 0;

    for (int32_t v = 0; v < p->s->graph->n_nodes; v++)
        if (p->in_set[v]) {
            p->rank[v] = rank_of(p->s, p->base, p->share, v);
            p->in_set[v] = false;
            n_arcs += csr_degree(p->s->in, v);
        }
    return n_arcs;
}

/* @return the sum of the distances above a limit */
static double change_of(const sets_t *p, double limit)
{
    tree_sum_t change = {0};

    for (int64_t v = 0; v < p->s->graph->n_nodes; v++)
        tree_sum_add(&change, distance(p, v) > limit ? distance(p, v) : 0);
    return tree_sum_total(&change);
}

/* Find out how far nodes have to move. @param change  the sum of all distances */
static void set_moved(sets_t *p, double change)
{
    if (p->moved > p->limits.first_moved * change)
        p->moved = p->limits.first_moved * change;
    while (change_of(p, p->moved) < change / 2)
        p->moved /= 2;
}

/* Renew the shares of the nodes that have moved, which gives the next working set.
 * @param n_visited  the arcs out of them are added
 * @return whether the next pass is one over the set; otherwise shares may be old */
static bool renew_moved(sets_t *p, int64_t *n_visited)
{
    const csr_t *g = p->s->graph;
    int64_t n_out = 0, n_in = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        n_out += distance(p, u) > p->moved ? csr_degree(g, u) : 0;
    if (n_out > p->limits.out_arcs)
        return false;
    *n_visited += n_out;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        if (distance(p, u) <= p->moved)
            continue;
        renew_share(p, u);
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            n_in += p->in_set[g->to[a]] ? 0 : csr_degree(p->s->in, g->to[a]);
            p->in_set[g->to[a]] = true;
        }
    }
    if (p->s->spec->dangling == GRAPH_DANGLING_SPREAD)
        p->drift = p->s->spec->damping * fabs(dangling_of(g, p->shared) - p->dangling);
    return n_out + n_in <= p->limits.arcs && p->drift < p->limits.drift;
}

/* @param n_set_passes  out @return the last pass's change */
static double pass_sets(sets_t *p, graph_result_t *out, int64_t *n_set_passes)
{
    const graph_spec_t *spec = p->s->spec;
    bool is_set = false;
    double change = INFINITY, moves;

    renew_all(p);
    while (out->n_iterations < spec->max_iterations) {
        out->n_visited += pass(p);
        out->n_iterations++;
        *n_set_passes += is_set;
        moves = change_of(p, 0);
        change = moves + p->drift;
        if (change < spec->tolerance)
            break;
        set_moved(p, moves);
        is_set = renew_moved(p, &out->n_visited);
        if (!is_set && spec->restart == GRAPH_RESTART_AUTO)
            break;
        if (!is_set)
            renew_all(p);
    }
    return change;
}

/* ---- iterations over all nodes ---- */

/* @return the sum of the ranks' changes */
static double iterate(const serial_t *s, double *share, double *rank)
{
    const csr_t *g = s->graph;
    const double base = graph_pagerank_base(s->spec, g->n_nodes, dangling_of(g, rank));
    tree_sum_t change = {0};

    for (int32_t u = 0; u < g->n_nodes; u++)
        share[u] = share_of(g, rank[u], u);
    for (int32_t v = 0; v < g->n_nodes; v++) {
        const double new_rank = rank_of(s, base, share, v);

        tree_sum_add(&change, fabs(new_rank - rank[v]));
        rank[v] = new_rank;
    }
    return tree_sum_total(&change);
}

static void start(const serial_t *s, double *rank)
{
    const double *first = pagerank_first_rank(s->spec);

    for (int64_t u = 0; u < s->graph->n_nodes; u++)
        rank[u] = first != NULL ? first[u] : 1 / (double)s->graph->n_nodes;
}

status_t serial_pagerank(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    const size_t n = (size_t)g->n_nodes + 1;
    sets_t p = {.s = s,
                .rank = out->column[0],
                .share = malloc(n * sizeof(*p.share)),
                .shared = malloc(n * sizeof(*p.shared)),
                .in_set = malloc(n * sizeof(*p.in_set)),
                .moved = INFINITY};
    double change = INFINITY;
    int64_t n_set_passes = 0;
    status_t st = ST_OK;

    (void)task;
    if (p.share == NULL || p.shared == NULL || p.in_set == NULL) {
        st = log_nomem("PageRank");
        goto done;
    }
    p.limits = pagerank_limits(s->spec, g);
    start(s, p.rank);
    if (pagerank_has_sets(s->spec))
        change = pass_sets(&p, out, &n_set_passes);
    while (out->n_iterations < s->spec->max_iterations && change >= s->spec->tolerance) {
        change = iterate(s, p.share, p.rank);
        out->n_iterations++;
        out->n_visited += g->n_arcs;
    }
    st = pagerank_note(s->spec, n_set_passes, out->n_iterations, &out->decisions);
done:
    free(p.share);
    free(p.shared);
    free(p.in_set);
    return st;
}
