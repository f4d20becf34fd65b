/*
 * graph_pairs.h - the similarity graph of a result file of `align`: sequences that reach
 * an identity are neighbours.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_READ_GRAPH_PAIRS_H
#define RIBOGRID_IO_GRAPHFILE_READ_GRAPH_PAIRS_H

#include "io/base/fraction.h"
#include "io/graphfile/graph_edges.h"

/*
 * Read a file of one set of sequences.
 *
 * Ids are the sequences' numbers, from 1; the value of an edge is 1 - identity.
 *
 * @param id  only pairs at or above it; denominator 0: all stored pairs with an identity
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_pairs_read(const char *path, const fraction_t *id,
                          graph_edges_t *out) MUST_CHECK;

#endif
