/*
 * csr_build.h - builds a graph in compressed sparse rows from a list of edges.
 *
 * Nodes are numbered in ascending order of their ids; an edge that is not directed
 * becomes two arcs.  Arcs of equal source and target keep the order of the list.  The
 * result does not depend on the number of threads.
 *
 * Memory besides the edges and the result: 8 bytes per edge, and 16 bytes per arc, 24
 * with weights, 32 with values.
 */
#pragma once

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/graph_edges.h"

typedef enum {
    CSR_WEIGHTS_GIVEN, /* those of the edges, if they have any */
    CSR_WEIGHTS_UNIT,  /* none, so that each arc counts 1 */
    CSR_WEIGHTS_UNIFORM
} csr_weights_t;

typedef struct {
    bool symmetrize; /* reverse directed edges, too; of equal arcs one is kept */
    bool dedupe;     /* of arcs of equal source and target keep the one of the smallest
                      * weight */
    bool drop_loops;
    csr_weights_t weights;
    int32_t low, high; /* uniform: weights of low .. high, 0 <= low <= high */
    uint64_t seed;     /* uniform */
} csr_options_t;

/*
 * Build a graph.
 *
 * @param pool  or NULL
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged: too many nodes)
 */
status_t csr_build(const graph_edges_t *edges, const csr_options_t *options, pool_t *pool,
                   csr_t *out) MUST_CHECK;

/* @return the weight that CSR_WEIGHTS_UNIFORM draws for the edge between two original
 *         ids: a hash of the seed and the ids, equal in both directions */
int32_t csr_build_weight(const csr_options_t *options, int64_t source, int64_t target);

/* Numbers the nodes of a list of edges in ascending order of their ids.
 */

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
