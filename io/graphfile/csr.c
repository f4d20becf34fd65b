/*
 * csr.c - memory of a graph, its largest degree, its reverse.
 */
#include "io/graphfile/csr.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* calloc of at least one value, so that NULL always means failure. */
static void *zeros(int64_t n, size_t bytes)
{
    return calloc(n > 0 ? (size_t)n : 1, bytes);
}

status_t csr_create(int64_t n_nodes, int64_t n_arcs, bool has_weight, bool has_value,
                    csr_t *out)
{
    csr_t g = {.n_nodes = n_nodes, .n_arcs = n_arcs};

    g.first = zeros(n_nodes + 1, sizeof(*g.first));
    g.to = zeros(n_arcs, sizeof(*g.to));
    g.id = zeros(n_nodes, sizeof(*g.id));
    g.weight = has_weight ? zeros(n_arcs, sizeof(*g.weight)) : NULL;
    g.value = has_value ? zeros(n_arcs, sizeof(*g.value)) : NULL;
    if (g.first == NULL || g.to == NULL || g.id == NULL ||
        (has_weight && g.weight == NULL) || (has_value && g.value == NULL)) {
        csr_free(&g);
        return log_nomem("a graph");
    }
    for (int64_t u = 0; u < n_nodes; u++)
        g.id[u] = u;
    *out = g;
    return ST_OK;
}

int64_t csr_max_degree(const csr_t *g)
{
    int64_t max = 0;

    for (int64_t u = 0; u < g->n_nodes; u++) {
        int64_t degree = csr_degree(g, (int32_t)u);

        max = degree > max ? degree : max;
    }
    return max;
}

int32_t csr_find(const csr_t *g, int64_t id)
{
    int64_t low = 0, high = g->n_nodes;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (g->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->n_nodes && g->id[low] == id ? (int32_t)low : -1;
}

/* Place the arcs; sources ascend, so each row of the result does.
 * @param at  [n_nodes] where the next arc of each row goes */
static void place_reversed(const csr_t *g, int64_t *at, csr_t *out)
{
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int64_t b = at[g->to[a]]++;

            out->to[b] = (int32_t)u;
            if (g->weight != NULL)
                out->weight[b] = g->weight[a];
            if (g->value != NULL)
                out->value[b] = g->value[a];
        }
    }
}

status_t csr_transpose(const csr_t *g, csr_t *out)
{
    csr_t t = {0};
    int64_t *at = NULL;
    status_t st =
        csr_create(g->n_nodes, g->n_arcs, g->weight != NULL, g->value != NULL, &t);

    if (st != ST_OK)
        return st;
    if ((at = zeros(g->n_nodes, sizeof(*at))) == NULL) {
        csr_free(&t);
        return log_nomem("reversing a graph");
    }
    for (int64_t a = 0; a < g->n_arcs; a++)
        t.first[g->to[a] + 1]++;
    for (int64_t u = 0; u < g->n_nodes; u++)
        t.first[u + 1] += t.first[u];
    memcpy(at, t.first, (size_t)g->n_nodes * sizeof(*at));
    place_reversed(g, at, &t);
    memcpy(t.id, g->id, (size_t)g->n_nodes * sizeof(*t.id));
    t.is_symmetric = g->is_symmetric;
    free(at);
    *out = t;
    return ST_OK;
}

/* Rows are walked in order, so that the arcs that lead to a node come in the order of its
 * own row, if the graph is symmetric.
 * @param at  [n_nodes] the arc of each row that has to be reversed next */
static bool has_all_reverses(const csr_t *g, int64_t *at)
{
    for (int64_t u = 0; u < g->n_nodes; u++) {
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];
            int64_t b = at[v]++;

            if (b >= g->first[v + 1] || g->to[b] != u)
                return false;
            if (g->weight != NULL && g->weight[a] != g->weight[b])
                return false;
            if (g->value != NULL && g->value[a] != g->value[b])
                return false;
        }
    }
    return true;
}

status_t csr_check_symmetric(csr_t *g)
{
    int64_t *at = zeros(g->n_nodes, sizeof(*at));

    if (at == NULL)
        return log_nomem("checking a graph");
    memcpy(at, g->first, (size_t)g->n_nodes * sizeof(*at));
    g->is_symmetric = has_all_reverses(g, at);
    free(at);
    return ST_OK;
}

ARRAY_COUNT(n_nodes, csr_t, o->n_nodes)
ARRAY_COUNT(n_firsts, csr_t, o->n_nodes + 1)
ARRAY_COUNT(n_arcs, csr_t, o->n_arcs)

static bool is_valid(const void *object)
{
    const csr_t *g = object;

    return g->n_nodes >= 0 && g->n_nodes <= INT32_MAX && g->n_arcs >= 0;
}

static bool firsts_divide(const void *object)
{
    const csr_t *g = object;

    return arrays_divide(g->first, g->n_nodes, g->n_arcs);
}

static bool targets_are_nodes(const void *object)
{
    const csr_t *g = object;
    bool good = true;

    for (int64_t a = 0; good && a < g->n_arcs; a++)
        good = g->to[a] >= 0 && g->to[a] < g->n_nodes;
    return good;
}

static bool weights_are_costs(const void *object)
{
    const csr_t *g = object;
    bool good = true;

    for (int64_t a = 0; good && a < g->n_arcs; a++)
        good = g->weight[a] >= 0;
    return good;
}

#define NODES                                                                          \
    ARRAY_VALUE(csr_t, n_nodes, ARRAY_INT64), ARRAY_VALUE(csr_t, n_arcs, ARRAY_INT64), \
        ARRAY_VALUE(csr_t, is_symmetric, ARRAY_BYTES),                                 \
        ARRAY_OF(csr_t, id, ARRAY_INT64, n_nodes),                                     \
        ARRAY_OF(csr_t, first, ARRAY_INT64, n_firsts, .has_sense = firsts_divide)

static const array_t rows[] = {
    NODES, ARRAY_OF(csr_t, to, ARRAY_INT32, n_arcs, .has_sense = targets_are_nodes),
    ARRAY_OF(csr_t, weight, ARRAY_INT32, n_arcs, .is_optional = true,
             .has_sense = weights_are_costs),
    ARRAY_OF(csr_t, value, ARRAY_DOUBLE, n_arcs, .is_optional = true), ARRAYS_END};

static const array_t nodes_rows[] = {NODES, ARRAYS_END};

const arrays_t csr_arrays = {"a graph", sizeof(csr_t), rows, is_valid};
const arrays_t csr_nodes_arrays = {"a graph", sizeof(csr_t), nodes_rows, is_valid};

void csr_free(csr_t *g)
{
    arrays_free(&csr_arrays, g);
}
