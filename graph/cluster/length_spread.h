/*
 * length_spread.h - finds fragments in a set of sequences: those much shorter than most.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_LENGTH_SPREAD_H
#define RIBOGRID_GRAPH_CLUSTER_LENGTH_SPREAD_H

#include <stdint.h>

typedef struct {
    int64_t median;  /* of an even number of lengths the higher of the middle two */
    int64_t min;     /* the shortest */
    int64_t n_short; /* fragments: lengths below half of the median */
} length_spread_t;

/* @param lengths  [n] in bases, n >= 1; sorted in place */
length_spread_t length_spread_of(int64_t *lengths, int64_t n);

#endif
