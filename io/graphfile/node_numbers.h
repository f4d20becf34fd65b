/*
 * node_numbers.h - numbers the nodes of a list of edges in ascending order of their ids.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_NODE_NUMBERS_H
#define RIBOGRID_IO_GRAPHFILE_NODE_NUMBERS_H

#include "io/base/pool.h"
#include "io/graphfile/graph_edges.h"

/* Zeroed: empty. */
typedef struct {
    int64_t n_nodes;
    int64_t *id;              /* [n_nodes] ascending */
    int32_t *source, *target; /* [edges] numbers of the edges' ends */
} node_numbers_t;

/*
 * Number the nodes.
 *
 * @param pool  or NULL
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: more than INT32_MAX nodes)
 */
status_t node_numbers_create(const graph_edges_t *edges, pool_t *pool,
                             node_numbers_t *out) MUST_CHECK;

/* Free the arrays and set all members to 0. */
void node_numbers_free(node_numbers_t *numbers);

#endif
