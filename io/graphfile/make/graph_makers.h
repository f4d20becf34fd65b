/*
 * graph_makers.h - the generators behind graph_make; their options are in range.
 */
#pragma once

#include "io/base/status.h"
#include "io/graphfile/make/graph_make.h"

#include <stdint.h>

/* All: set the edges, the direction and n_declared. @return as graph_make; what is in *e
 * is freed by the caller */
status_t make_rmat(const graph_make_options_t *o, pool_t *pool,
                   graph_edges_t *e) MUST_CHECK;
status_t make_grid(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_road(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_clone(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_tree(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;

/* How many nodes of a graph to be generated have which degree. */

/* Zeroed: empty. */
typedef struct {
    int64_t n_nodes;
    int32_t *degree; /* [n_nodes] in the order of the nodes */
    double n_ends;   /* of a file: sum of its degrees so far */
} degree_table_t;

/*
 * Make the table of a name: "co-road" (the road network of Colorado, 9th DIMACS
 * challenge), "citeseer" (10th challenge), or a file with lines "DEGREE NODES".
 *
 * co-road has that graph's numbers of nodes and arcs and its maximum degree, with the
 * degrees of roads in general.  citeseer has lognormal degrees, mu 3.85 and sigma 0.95,
 * rounded and cut to 1 .. 1188.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t degree_table_create(const char *name, uint64_t seed,
                             degree_table_t *out) MUST_CHECK;

/* Free the array and set all members to 0. */
void degree_table_free(degree_table_t *table);
