/*
 * job_graph_input.c - rank 0 reads and builds the graph of the job "graph" and sends it
 * to the other ranks.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <inttypes.h>
#include <stdlib.h>

static status_t read_input(job_graph_t *j)
{
    const graph_opts_t *o = j->opts;
    double start = clock_now_s();
    graph_input_data_t d = {0};
    status_t st = graph_child_read(o, &d);

    j->graph = d.graph;
    j->nodes = d.nodes;
    j->priority = d.abundance;
    j->start = d.start;
    if (st == ST_OK)
        st = graph_check(o->algorithm, &j->graph, j->nodes.name, o->input);
    if (st == ST_OK && o->leaf_weights != NULL)
        st = leaf_counts_read(o->leaf_weights, &j->graph, j->nodes.name, o->input,
                              &j->leaves);
    if (st == ST_OK && j->info->has_sources)
        st = graph_sources_choose(&o->sources, &j->graph, j->nodes.name, o->input,
                                  &j->sources, &j->n_sources);
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

ARRAY_COUNT(n_nodes, job_graph_t, o->graph.n_nodes)
ARRAY_COUNT(n_sources, job_graph_t, o->n_sources)
ARRAY_COUNT(n_rows, job_graph_t, o->start.n_rows)

/* @return whether numbers are those of nodes, if they are there */
static bool are_nodes(const job_graph_t *j, const int32_t *node, int64_t n)
{
    for (int64_t i = 0; node != NULL && i < n; i++)
        if (node[i] < 0 || node[i] >= j->graph.n_nodes)
            return false;
    return true;
}

static bool leaves_are_nodes(const void *object)
{
    const job_graph_t *j = object;
    const leaf_counts_t *c = &j->leaves;
    const bool is_there = c->first != NULL && c->node != NULL && c->count != NULL;

    return (is_there || (c->n == 0 && c->n_samples == 0)) && are_nodes(j, c->node, c->n);
}

static bool sources_are_nodes(const void *object)
{
    const job_graph_t *j = object;

    return are_nodes(j, j->sources, j->n_sources);
}

static bool rows_are_nodes(const void *object)
{
    const job_graph_t *j = object;

    return are_nodes(j, j->start.rows, j->start.n_rows);
}

/* Each leads to a node that is not behind it. */
static bool joined_are_nodes(const void *object)
{
    const job_graph_t *j = object;
    const int32_t *joined = j->start.joined;
    bool good = are_nodes(j, joined, j->graph.n_nodes);

    for (int32_t u = 0; good && joined != NULL && u < j->graph.n_nodes; u++)
        good = joined[u] <= u;
    return good;
}

static const array_t shared_rows[] = {
    ARRAY_MEMBER(job_graph_t, graph, &csr_arrays),
    {.name = "leaves",
     .at = offsetof(job_graph_t, leaves),
     .type = ARRAY_OBJECT,
     .object = &leaf_counts_arrays,
     .has_sense = leaves_are_nodes},
    ARRAY_OF(job_graph_t, priority, ARRAY_INT64, n_nodes, .is_optional = true),
    ARRAY_VALUE(job_graph_t, n_sources, ARRAY_INT64),
    ARRAY_OF(job_graph_t, sources, ARRAY_INT32, n_sources, .is_optional = true,
             .has_sense = sources_are_nodes),
    ARRAY_OF(job_graph_t, start.rank, ARRAY_DOUBLE, n_nodes, .is_optional = true),
    ARRAY_VALUE(job_graph_t, start.n_known, ARRAY_INT64),
    ARRAY_OF(job_graph_t, start.joined, ARRAY_INT32, n_nodes, .is_optional = true,
             .has_sense = joined_are_nodes),
    ARRAY_VALUE(job_graph_t, start.n_rows, ARRAY_INT64),
    ARRAY_OF(job_graph_t, start.rows, ARRAY_INT32, n_rows, .is_optional = true,
             .has_sense = rows_are_nodes),
    ARRAYS_END};

static const arrays_t shared = {"a graph", sizeof(job_graph_t), shared_rows, NULL};

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
    st = exchange_object(x, &shared, j);
    j->info = graph_info_on(j->opts->algorithm, &j->graph);
    return st == ST_OK ? exchange_agree(x, make_vector(j)) : st;
}
