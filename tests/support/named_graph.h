/*
 * named_graph.h - graphs for tests of graph kernels, by name: the same on every machine.
 */
#pragma once

#include "io/base/pool.h"
#include "io/graphfile/csr.h"

/*
 * Make a graph with weights of 1 to 255.
 *
 * rmat:SCALE:FACTOR   Kronecker graph of the GAP benchmark: 2^SCALE nodes, FACTOR edges a
 *                     node, symmetric
 * web:SCALE:FACTOR    the same, directed
 * grid:SIDE           SIDE x SIDE nodes with 4 neighbors
 * citeseer:NODES      configuration model of CiteSeer's degrees: lognormal, mu 3.85,
 *                     sigma 0.95, of 1 to 1,188
 * star:LEAVES         one node of a high degree, with a path behind it
 * funnel:WIDE         levels of 1, WIDE, WIDE, WIDE / 50 and WIDE / 50 nodes
 * path:NODES
 * diamonds:NUMBER     in a row: 2^NUMBER shortest paths from the first to the last node
 * lens:WIDE           two binary trees of WIDE leaves, which are joined: levels of 1, 2,
 *                     4, ..., about WIDE, ..., 4, 2 and 1 nodes
 * clique:NODES        each joined to all others
 * empty:NODES
 * snap:PATH           an edge list of SNAP, directed
 *
 * @param pool  or NULL
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE (logged: no such graph), or an error of a file
 */
status_t named_graph(const char *name, pool_t *pool, csr_t *out) MUST_CHECK;
