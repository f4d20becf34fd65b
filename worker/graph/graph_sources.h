/*
 * graph_sources.h - the nodes that a graph job starts from, in ascending order of their
 * ids.
 */
#ifndef RIBOGRID_WORKER_GRAPH_GRAPH_SOURCES_H
#define RIBOGRID_WORKER_GRAPH_GRAPH_SOURCES_H

#include "io/graphfile/csr.h"

typedef enum {
    GRAPH_SOURCES_ALL,
    GRAPH_SOURCES_ID,        /* one node, by its original id */
    GRAPH_SOURCES_RANDOM,    /* n different nodes with arcs */
    GRAPH_SOURCES_MAX_DEGREE /* the n nodes of the highest out-degrees; ties: smaller ids
                              */
} graph_sources_kind_t;

typedef struct {
    graph_sources_kind_t kind;
    int64_t id;
    int64_t n;
    uint64_t seed;
} graph_sources_t;

/*
 * Choose nodes; none of a graph without nodes.
 *
 * @param path   of the graph, for messages
 * @param out    [n_out] ascending, owned by the caller
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: no such node, or too few)
 */
status_t graph_sources_choose(const graph_sources_t *sources, const csr_t *g,
                              const char *path, int32_t **out, int64_t *n_out) MUST_CHECK;

#endif
