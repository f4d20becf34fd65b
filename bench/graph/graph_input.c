/*
 * graph_input.c - parses names of generated graphs, and builds the graph.
 */
#include "bench/graph/graph_input.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parse one or two numbers of at least 1. @param second  kept if there is only one */
static bool parse_sizes(const char *text, int64_t *first, int64_t *second)
{
    char *end;

    errno = 0;
    *first = strtoll(text, &end, 10);
    if (end != text && *end == ':' && second != NULL) {
        text = end + 1;
        *second = strtoll(text, &end, 10);
    }
    return errno == 0 && end != text && *end == '\0' && *first >= 1 &&
           *first <= INT32_MAX &&
           (second == NULL || (*second >= 1 && *second <= INT32_MAX));
}

status_t graph_input_parse(const char *name, graph_make_options_t *out)
{
    graph_make_options_t o = {.edge_factor = 16, .min_children = 32};
    size_t len = strcspn(name, ":");
    const char *sizes = name + len + 1;
    bool ok = false;
    int k = 0;

    while (k < GRAPH_MAKE_N_KINDS && (strlen(graph_make_name[k]) != len ||
                                      strncmp(graph_make_name[k], name, len) != 0))
        k++;
    if (k == GRAPH_MAKE_N_KINDS || name[len] != ':')
        return ST_EDONE;
    o.kind = (graph_make_kind_t)k;
    switch (o.kind) {
    case GRAPH_MAKE_RMAT:
        ok = parse_sizes(sizes, &o.scale, &o.edge_factor) &&
             o.scale <= GRAPH_MAKE_MAX_SCALE;
        break;
    case GRAPH_MAKE_GRID:
        ok = parse_sizes(sizes, &o.rows, strchr(sizes, ':') != NULL ? &o.columns : NULL);
        o.columns = o.columns > 0 ? o.columns : o.rows;
        break;
    case GRAPH_MAKE_ROAD:
        ok = parse_sizes(sizes, &o.n_nodes, NULL);
        break;
    case GRAPH_MAKE_TREE:
        ok = parse_sizes(sizes, &o.depth, &o.min_children);
        o.max_children = o.min_children;
        break;
    default:
        o.degrees = sizes;
        ok = *sizes != '\0';
    }
    if (ok)
        *out = o;
    return ok ? ST_OK : ST_EUSAGE;
}

/* @return the edges of the input, generated or read */
static status_t list_edges(const graph_input_t *in, pool_t *pool, graph_edges_t *out)
{
    graph_make_options_t how;
    status_t st = graph_input_parse(in->name, &how);

    if (st == ST_EDONE)
        return graph_read(in->name, &in->read, out);
    if (st != ST_OK)
        return st;
    how.seed = in->seed;
    return graph_make(&how, pool, out);
}

status_t graph_input_read(const graph_input_t *in, pool_t *pool, csr_t *out)
{
    csr_options_t build = in->build;
    graph_edges_t edges = {0};
    status_t st = list_edges(in, pool, &edges);

    build.symmetrize = !in->is_directed;
    build.dedupe = build.drop_loops = true;
    if (st == ST_OK) {
        edges.is_directed = edges.is_directed || in->is_directed;
        if (build.weights == CSR_WEIGHTS_GIVEN && edges.weight == NULL)
            build.weights = CSR_WEIGHTS_UNIFORM;
        st = csr_build(&edges, &build, pool, out);
    }
    graph_edges_free(&edges);
    return st;
}
