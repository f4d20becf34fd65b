/*
 * hot_columns.c - counts columns by their arcs, from the most arcs down.
 */
#include "kernels/graph/common/row_packets.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* @return the arcs that a hot column has at least */
static uint32_t least_arcs(const uint32_t *n_arcs, int64_t n_nodes, uint32_t most,
                           int32_t max, int32_t *n_with)
{
    int64_t n = 0;
    uint32_t least = most;

    for (int64_t u = 0; u < n_nodes; u++)
        n_with[n_arcs[u]]++;
    for (; least > 0 && n + n_with[least] <= max; least--)
        n += n_with[least];
    return least + 1;
}

static void choose(const uint32_t *n_arcs, int64_t n_nodes, uint32_t least,
                   hot_columns_t *out)
{
    for (int32_t u = 0; u < n_nodes; u++) {
        out->number[u] = u;
        if (n_arcs[u] < least)
            continue;
        out->number[u] = (int32_t)n_nodes + out->n;
        out->node[out->n++] = u;
        out->n_arcs += n_arcs[u];
    }
}

/* @param n_arcs  [n_nodes] all 0 */
static status_t find(const csr_t *g, int32_t max, uint32_t *n_arcs, hot_columns_t *out)
{
    uint32_t most = 0;
    int32_t *n_with;

    for (int64_t a = 0; a < g->n_arcs; a++) {
        const uint32_t n = ++n_arcs[g->to[a]];

        most = n > most ? n : most;
    }
    n_with = calloc((size_t)most + 1, sizeof(*n_with));
    if (n_with == NULL)
        return log_nomem("columns of a matrix");
    choose(n_arcs, g->n_nodes, least_arcs(n_arcs, g->n_nodes, most, max, n_with), out);
    free(n_with);
    return ST_OK;
}

status_t hot_columns_create(const csr_t *g, int32_t max, hot_columns_t *out)
{
    const size_t n_nodes = (size_t)g->n_nodes;
    uint32_t *n_arcs = calloc(n_nodes + 1, sizeof(*n_arcs));
    status_t st;

    *out = (hot_columns_t){0};
    out->node = malloc(((size_t)max + 1) * sizeof(*out->node));
    out->number = malloc((n_nodes + 1) * sizeof(*out->number));
    if (n_arcs == NULL || out->node == NULL || out->number == NULL)
        st = log_nomem("columns of a matrix");
    else
        st = find(g, max, n_arcs, out);
    free(n_arcs);
    if (st != ST_OK)
        hot_columns_free(out);
    return st;
}

void hot_columns_free(hot_columns_t *h)
{
    free(h->node);
    free(h->number);
    memset(h, 0, sizeof(*h));
}
