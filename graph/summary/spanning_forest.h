/*
 * spanning_forest.h - the pairs of greatest identity that join all that pairs can join,
 * and an order of the sequences from it, in which similar ones are neighbours.
 *
 * Kruskal's forest (1956) of the pairs, taken one at a time in bounded memory: of what
 * was held and a batch of new pairs only the forest is kept.  Its joins, from the
 * greatest identity down, are those of single linkage (Gower and Ross 1969); the order is
 * that of its dendrogram's leaves.  Identities that differ by less than 2^-32 count as
 * equal; among equal ones the lower row, then the lower column comes first.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_SPANNING_FOREST_H
#define RIBOGRID_GRAPH_SUMMARY_SPANNING_FOREST_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct spanning_forest spanning_forest_t;

/* @param n  sequences @return ST_OK or ST_ENOMEM (logged) */
status_t spanning_forest_create(int64_t n, spanning_forest_t **out) MUST_CHECK;

/* Take a pair with an identity. Pairs come in order of row, then column. */
void spanning_forest_add(spanning_forest_t *f, int32_t row, int32_t col, int32_t matches,
                         int32_t columns);

/*
 * Put the leaves in order: of two groups that join the larger first, of equal ones that
 * with the lower sequence; so are groups that nothing joins.
 *
 * @param order  [n] the sequences
 */
void spanning_forest_order(spanning_forest_t *f, int32_t *order);

/* Takes NULL. */
void spanning_forest_destroy(spanning_forest_t *f);

#endif
