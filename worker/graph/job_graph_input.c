/*
 * job_graph_input.c - rank 0 reads and builds the graph of the job "graph" and sends it
 * to the other ranks.
 */
#include "worker/graph/job_graph_input.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "worker/graph/graph_child.h"
#include "worker/graph/job_graph_part.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the others have to know before they can receive the graph. */
typedef struct {
    int64_t n_nodes, n_arcs, n_sources;
    bool has_weight, has_value, is_symmetric, has_priority;
} graph_head_t;

static status_t check(const job_graph_t *j)
{
    const graph_opts_t *o = j->opts;

    if (j->info->is_undirected && !j->graph.is_symmetric) {
        log_error("%s is directed, but %s is for undirected graphs; give --symmetrize",
                  o->input, j->info->name);
        return ST_EINPUT;
    }
    if (j->info->sums_integers && j->graph.value != NULL) {
        log_error("%s has weights that are not whole numbers of at least 0, which %s "
                  "needs; give --weights unit or uniform:LOW-HIGH",
                  o->input, j->info->name);
        return ST_EINPUT;
    }
    if (o->newick != NULL && j->names == NULL) {
        log_error("%s: --newick needs a file of `ribogrid align`, whose distances are 1 "
                  "- identity",
                  o->input);
        return ST_EINPUT;
    }
    return ST_OK;
}

static status_t read_input(job_graph_t *j)
{
    const graph_opts_t *o = j->opts;
    double start = clock_now_s();
    graph_input_data_t d = {0};
    status_t st = graph_child_read(o, &d);

    j->graph = d.graph;
    j->names = d.names;
    j->priority = d.abundance;
    if (st == ST_OK)
        st = check(j);
    if (st == ST_OK && j->info->has_sources)
        st = graph_sources_choose(&o->sources, &j->graph, o->input, &j->sources,
                                  &j->n_sources);
    j->read_s = clock_now_s() - start;
    return st;
}

/* Draw the vector on every rank; a random value depends on the seed and the id. */
static status_t make_vector(job_graph_t *j)
{
    const csr_t *g = &j->graph;

    if ((j->info->options & GRAPH_OPTIONS_VECTOR) == 0)
        return ST_OK;
    if ((j->x = malloc((size_t)g->n_nodes * sizeof(*j->x) + 1)) == NULL)
        return log_nomem("a vector");
    for (int64_t i = 0; i < g->n_nodes; i++) {
        uint64_t state = (uint64_t)j->opts->seed ^ rng_rotl((uint64_t)g->id[i], 32);

        j->x[i] = j->opts->vector == GRAPH_VECTOR_ONES
                      ? 1
                      : (double)(rng_splitmix(&state) >> 11) * 0x1p-53;
    }
    return ST_OK;
}

/* Allocate on the other ranks what rank 0 sends. */
static status_t receive_into(job_graph_t *j, const graph_head_t *h)
{
    status_t st =
        csr_create(h->n_nodes, h->n_arcs, h->has_weight, h->has_value, &j->graph);

    if (st != ST_OK)
        return st;
    j->graph.is_symmetric = h->is_symmetric;
    j->n_sources = h->n_sources;
    j->sources = malloc((size_t)h->n_sources * sizeof(*j->sources) + 1);
    if (h->has_priority)
        j->priority = malloc((size_t)h->n_nodes * sizeof(*j->priority) + 1);
    if (j->sources == NULL || (h->has_priority && j->priority == NULL))
        return log_nomem("a graph");
    return ST_OK;
}

/* @param data  NULL: there is no such array */
static status_t send(exchange_t *x, void *data, int64_t n, size_t bytes)
{
    return data != NULL && n > 0 ? x->broadcast(x, data, (size_t)n * bytes) : ST_OK;
}

static status_t broadcast_graph(job_graph_t *j, exchange_t *x)
{
    csr_t *g = &j->graph;
    graph_head_t h = {g->n_nodes,         g->n_arcs,        j->n_sources,
                      g->weight != NULL,  g->value != NULL, g->is_symmetric,
                      j->priority != NULL};
    status_t st = x->broadcast(x, &h, sizeof(h));

    if (st != ST_OK)
        return st;
    if ((st = exchange_agree(x, x->rank != 0 ? receive_into(j, &h) : ST_OK)) != ST_OK ||
        (st = send(x, g->id, g->n_nodes, sizeof(*g->id))) != ST_OK ||
        (st = send(x, g->first, g->n_nodes + 1, sizeof(*g->first))) != ST_OK ||
        (st = send(x, g->to, g->n_arcs, sizeof(*g->to))) != ST_OK ||
        (st = send(x, g->weight, g->n_arcs, sizeof(*g->weight))) != ST_OK ||
        (st = send(x, g->value, g->n_arcs, sizeof(*g->value))) != ST_OK ||
        (st = send(x, j->priority, g->n_nodes, sizeof(*j->priority))) != ST_OK)
        return st;
    return send(x, j->sources, j->n_sources, sizeof(*j->sources));
}

status_t job_graph_read(job_graph_t *j, exchange_t *x)
{
    status_t st = job_graph_part_read(j, x);

    if (st != ST_OK || j->is_divided)
        return st;
    st = exchange_agree(x, x->rank == 0 ? read_input(j) : ST_OK);
    if (st == ST_OK)
        st = job_graph_part_divide(j, x);
    if (st != ST_OK || j->is_divided)
        return st;
    st = broadcast_graph(j, x);
    return st == ST_OK ? exchange_agree(x, make_vector(j)) : st;
}
