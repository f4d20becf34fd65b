/*
 * verify_paths.c - paths from a source: breadth-first search and shortest paths.
 */
#include "graph/verify/graph_verify.h"

#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/common/path_length.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- depths and parents of a breadth-first search ---- */

/* @param above  [n_nodes] the smallest neighbor one level above, or -1 */
static status_t check_arcs(const verify_t *v, int32_t *above)
{
    const csr_t *g = v->graph;
    const int32_t *depth = v->result->column[0];

    for (int64_t u = 0; u < g->n_nodes; u++)
        above[u] = -1;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        if (depth[u] < 0)
            continue;
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t w = g->to[a];

            if (depth[w] < 0 || depth[w] > depth[u] + 1)
                return verify_refuse(v,
                                     "node %lld has depth %d, but node %lld with an arc "
                                     "to it has depth %d",
                                     verify_id(v, w), depth[w], verify_id(v, u),
                                     depth[u]);
            if (depth[w] == depth[u] + 1 && above[w] < 0)
                above[w] = u;
        }
    }
    return ST_OK;
}

static status_t check_node(const verify_t *v, int32_t u, int32_t above)
{
    int32_t depth = ((const int32_t *)v->result->column[0])[u];
    int32_t parent = ((const int32_t *)v->result->column[1])[u];

    if (u == v->task->sources[0]) {
        if (depth != 0)
            return verify_refuse(v, "the source %lld has depth %d", verify_id(v, u),
                                 depth);
        above = u;
    } else if (depth < -1 || (depth >= 0 && above < 0)) {
        return verify_refuse(v, "node %lld has depth %d, but no neighbor has depth %d",
                             verify_id(v, u), depth, depth - 1);
    }
    if (parent != above)
        return verify_refuse(v, "the parent of node %lld is %lld instead of %lld",
                             verify_id(v, u), verify_id(v, parent), verify_id(v, above));
    return ST_OK;
}

status_t verify_bfs(const verify_t *v)
{
    int32_t *above = malloc((size_t)(v->graph->n_nodes + 1) * sizeof(*above));
    status_t st;

    if (above == NULL)
        return log_nomem("the check of a search");
    st = check_arcs(v, above);
    for (int32_t u = 0; st == ST_OK && u < v->graph->n_nodes; u++)
        st = check_node(v, u, above[u]);
    free(above);
    return st;
}

/* ---- distances from a source ---- */

enum { LENGTH_BYTES = 32 };

/* @return the distance of a node as a length; of one that is none, it is too large */
static path_length_t length_of(const verify_t *v, int32_t u)
{
    const double *real = v->result->column[0];

    if (v->graph->value == NULL)
        return ((const path_length_t *)v->result->column[0])[u];
    return real[u] == -1 ? PATH_NONE : path_of_real(real[u]);
}

/* @return the length as text: -1 where no path leads */
static const char *print_length(const verify_t *v, path_length_t length,
                                char out[LENGTH_BYTES])
{
    if (v->graph->value != NULL && length != PATH_NONE)
        snprintf(out, LENGTH_BYTES, "%.17g", path_real(length));
    else
        snprintf(out, LENGTH_BYTES, "%" PRId64, (int64_t)length);
    return out;
}

static status_t check_arcs_of(const verify_t *v, int32_t u)
{
    const csr_t *g = v->graph;
    const path_length_t from = length_of(v, u);
    char text[2][LENGTH_BYTES];

    for (int64_t a = g->first[u]; from != PATH_NONE && a < g->first[u + 1]; a++) {
        int32_t w = g->to[a];

        if (length_of(v, w) > path_extend(g, from, a))
            return verify_refuse(v,
                                 "node %lld has distance %s, but node %lld with an arc "
                                 "of weight %.17g to it has distance %s",
                                 verify_id(v, w),
                                 print_length(v, length_of(v, w), text[0]),
                                 verify_id(v, u), graph_arc_value(g, a),
                                 print_length(v, from, text[1]));
    }
    return ST_OK;
}

/* Walk from the source along arcs that give exactly the distance.
 * @param seen, stack  [n_nodes] */
static void walk(const verify_t *v, bool *seen, int32_t *stack)
{
    const csr_t *g = v->graph;
    int64_t n = 0;

    seen[v->task->sources[0]] = true;
    stack[n++] = v->task->sources[0];
    while (n > 0) {
        int32_t u = stack[--n];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t w = g->to[a];

            if (!seen[w] && length_of(v, w) == path_extend(g, length_of(v, u), a)) {
                seen[w] = true;
                stack[n++] = w;
            }
        }
    }
}

status_t verify_sssp(const verify_t *v)
{
    const csr_t *g = v->graph;
    int32_t source = v->task->sources[0];
    bool *seen = calloc((size_t)g->n_nodes + 1, sizeof(*seen));
    int32_t *stack = malloc((size_t)(g->n_nodes + 1) * sizeof(*stack));
    char text[LENGTH_BYTES];
    status_t st = ST_OK;

    if (seen == NULL || stack == NULL)
        st = log_nomem("the check of distances");
    else if (length_of(v, source) != 0)
        st = verify_refuse(v, "the source %lld has distance %s", verify_id(v, source),
                           print_length(v, length_of(v, source), text));
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        st = check_arcs_of(v, u);
    if (st == ST_OK)
        walk(v, seen, stack);
    for (int32_t u = 0; st == ST_OK && u < g->n_nodes; u++)
        if (!seen[u] && length_of(v, u) != PATH_NONE)
            st = verify_refuse(v, "no path of length %s leads to node %lld",
                               print_length(v, length_of(v, u), text), verify_id(v, u));
    free(stack);
    free(seen);
    return st;
}
