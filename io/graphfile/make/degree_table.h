/*
 * degree_table.h - how many nodes of a graph to be generated have which degree.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_MAKE_DEGREE_TABLE_H
#define RIBOGRID_IO_GRAPHFILE_MAKE_DEGREE_TABLE_H

#include "io/base/status.h"

#include <stdint.h>

/* Zeroed: empty. */
typedef struct {
    int64_t n_nodes;
    int32_t *degree; /* [n_nodes] in the order of the nodes */
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

#endif
