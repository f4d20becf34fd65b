/*
 * spanning_forest.h - a maximum spanning forest of the pairs, and an order of the
 * sequences derived from it in which similar ones are neighbours.
 *
 * Kruskal's algorithm (1956) in bounded memory: pairs arrive one at a time, and after
 * each batch only the forest of all pairs so far is kept.  Joining its branches in
 * descending order of identity is single linkage (Gower and Ross 1969); the order is that
 * of the leaves of the dendrogram.  Identities that differ by less than 2^-32 count as
 * equal; ties are broken by the lower row, then the lower column.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_SPANNING_FOREST_H
#define RIBOGRID_GRAPH_SUMMARY_SPANNING_FOREST_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct spanning_forest spanning_forest_t;

/* @param n  sequences @return ST_OK or ST_ENOMEM (logged) */
status_t spanning_forest_create(int64_t n, spanning_forest_t **out) MUST_CHECK;

/* Add a pair that has an identity.  Pairs must be added in order of row, then column. */
void spanning_forest_add(spanning_forest_t *f, int32_t row, int32_t col, int32_t matches,
                         int32_t columns);

/*
 * Order the leaves.  Of two groups that are joined the larger comes first; if equal, the
 * one with the lower sequence.  Groups that are never joined are ordered in the same way.
 *
 * @param order  [n] the sequences in order
 */
void spanning_forest_order(spanning_forest_t *f, int32_t *order);

/* Takes NULL. */
void spanning_forest_destroy(spanning_forest_t *f);

#endif
