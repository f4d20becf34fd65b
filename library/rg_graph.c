/*
 * rg_graph.c - graphs in compressed sparse rows, and columns of values.
 */
#include "library/rg_graph.h"

#include "library/rg_context.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a caller gives. */
typedef struct {
    int64_t n;
    const int64_t *starts;
    const int32_t *targets, *weights;
    const double *values;
} given_t;

static status_t check_starts(const given_t *g)
{
    if (g->n < 0 || g->n > INT32_MAX || g->starts == NULL || g->starts[0] != 0) {
        log_error("a graph has 0 to 2147483647 nodes, and starts that begin with 0");
        return ST_EUSAGE;
    }
    for (int64_t u = 0; u < g->n; u++)
        if (g->starts[u + 1] < g->starts[u]) {
            log_error("starts have to ascend, but that of node %" PRId64 " is %" PRId64
                      " after %" PRId64,
                      u + 1, g->starts[u + 1], g->starts[u]);
            return ST_EUSAGE;
        }
    if (g->starts[g->n] > 0 && g->targets == NULL) {
        log_error("a graph with arcs has targets");
        return ST_EUSAGE;
    }
    if (g->weights != NULL && g->values != NULL) {
        log_error("give weights or values, not both");
        return ST_EUSAGE;
    }
    return ST_OK;
}

/* @return why an arc cannot be, or NULL */
static const char *refuse_arc(const given_t *g, int64_t u, int64_t a)
{
    const int32_t v = g->targets[a];

    if (v < 0 || v >= g->n)
        return "leads to no node";
    if (a > g->starts[u] && v <= g->targets[a - 1])
        return "is not behind the arc before it; sort the targets of each row, and add "
               "up "
               "repeated ones";
    if (g->weights != NULL && g->weights[a] < 0)
        return "has a negative weight";
    return g->values != NULL && !isfinite(g->values[a]) ? "has no finite value" : NULL;
}

static status_t check_arcs(const given_t *g)
{
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t a = g->starts[u]; a < g->starts[u + 1]; a++) {
            const char *reason = refuse_arc(g, u, a);

            if (reason == NULL)
                continue;
            log_error("arc %" PRId64 ", from node %" PRId64 " to %d, %s", a, u,
                      g->targets[a], reason);
            return ST_EINPUT;
        }
    return ST_OK;
}

static void copy(const given_t *g, rg_graph_t *out)
{
    csr_t *csr = &out->csr;
    const size_t n_arcs = (size_t)g->starts[g->n];

    memcpy(csr->first, g->starts, ((size_t)g->n + 1) * sizeof(*csr->first));
    if (n_arcs > 0)
        memcpy(csr->to, g->targets, n_arcs * sizeof(*csr->to));
    if (csr->weight != NULL && n_arcs > 0)
        memcpy(csr->weight, g->weights, n_arcs * sizeof(*csr->weight));
    if (csr->value != NULL && n_arcs > 0)
        memcpy(csr->value, g->values, n_arcs * sizeof(*csr->value));
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t a = g->starts[u]; a < g->starts[u + 1]; a++)
            out->has_loops = out->has_loops || g->targets[a] == u;
}

static status_t create(const given_t *g, rg_graph_t **out)
{
    rg_graph_t *graph = NULL;
    status_t st;

    if ((st = check_starts(g)) != ST_OK || (st = check_arcs(g)) != ST_OK)
        return st;
    if ((graph = calloc(1, sizeof(*graph))) == NULL)
        return log_nomem("a graph");
    st = csr_create(g->n, g->starts[g->n], g->weights != NULL, g->values != NULL,
                    &graph->csr);
    if (st == ST_OK) {
        copy(g, graph);
        st = csr_check_symmetric(&graph->csr);
    }
    if (st != ST_OK)
        rg_graph_destroy(graph);
    else
        *out = graph;
    return st;
}

rg_status_t rg_graph_create(rg_context_t *context, int64_t n, const int64_t *starts,
                            const int32_t *targets, const int32_t *weights,
                            const double *values, rg_graph_t **out)
{
    const given_t given = {n, starts, targets, weights, values};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);

    if (status != RG_OK)
        return status;
    return rg_context_leave(context, before,
                            out != NULL ? create(&given, out) : ST_EUSAGE);
}

void rg_graph_destroy(rg_graph_t *graph)
{
    if (graph == NULL)
        return;
    csr_free(&graph->csr);
    free(graph);
}

int64_t rg_graph_nodes(const rg_graph_t *graph)
{
    return graph != NULL ? graph->csr.n_nodes : 0;
}

int64_t rg_graph_arcs(const rg_graph_t *graph)
{
    return graph != NULL ? graph->csr.n_arcs : 0;
}

int32_t rg_graph_is_symmetric(const rg_graph_t *graph)
{
    return graph != NULL && graph->csr.is_symmetric;
}

/* ---- columns ---- */

static bool has(const rg_columns_t *columns, int32_t index)
{
    return columns != NULL && index >= 0 && index < columns->n;
}

void rg_columns_destroy(rg_columns_t *columns)
{
    if (columns == NULL)
        return;
    for (int32_t i = 0; i < columns->n; i++)
        rg_allocator_free(&columns->memory, columns->values[i]);
    free(columns);
}

int32_t rg_columns_count(const rg_columns_t *columns)
{
    return columns != NULL ? columns->n : 0;
}

const char *rg_columns_name(const rg_columns_t *columns, int32_t index)
{
    return has(columns, index) ? columns->name[index] : NULL;
}

const char *rg_columns_type(const rg_columns_t *columns, int32_t index)
{
    static const char *const names[GRAPH_N_TYPES] = {[GRAPH_INT32] = "int32",
                                                     [GRAPH_INT64] = "int64",
                                                     [GRAPH_REAL] = "float64",
                                                     [GRAPH_NODE] = "int32",
                                                     [GRAPH_FLAG] = "uint8"};

    return has(columns, index) ? names[columns->type[index]] : NULL;
}

int64_t rg_columns_length(const rg_columns_t *columns)
{
    return columns != NULL ? columns->length : 0;
}

const void *rg_columns_values(const rg_columns_t *columns, int32_t index)
{
    return has(columns, index) ? columns->values[index] : NULL;
}
