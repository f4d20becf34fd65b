/*
 * path_length.h - lengths of paths, of which sssp finds the smallest.
 *
 * The length of a path is the sum of its weights in the order of its arcs, from the
 * source on: ((0 + w1) + w2) + w3.  Real weights are added as doubles, and each sum is
 * rounded to the nearest.  Rounding keeps order: a <= b gives a + w <= b + w, and no
 * weight is negative, so a + w >= a.  Hence the smallest length of a node is that of its
 * best predecessor and one arc, Dijkstra's algorithm finds it, and so does relaxing arcs
 * in any order until nothing changes: the bits are the same on every device and any
 * number of threads.
 *
 * Lengths are compared as unsigned integers: whole ones are what they are, real ones the
 * bits of the double, which are in the order of the numbers where none is negative.
 */
#pragma once

#include "io/graphfile/csr.h"

#include <string.h>

typedef uint64_t path_length_t;

/* Where no path leads; as int64_t it is -1. */
#define PATH_NONE UINT64_MAX

static inline double path_real(path_length_t length)
{
    double x;

    memcpy(&x, &length, sizeof(x));
    return x;
}

static inline path_length_t path_of_real(double x)
{
    path_length_t length;

    memcpy(&length, &x, sizeof(length));
    return length;
}

/* @return the length of a path with one more arc */
static inline path_length_t path_extend(const csr_t *g, path_length_t length, int64_t arc)
{
    return g->value != NULL ? path_of_real(path_real(length) + g->value[arc])
                            : length + (uint64_t)csr_weight(g, arc);
}

/* Turn lengths into the values of their column, in place: int64_t, or double of a graph
 * of real weights; -1 where no path leads. */
static inline void path_finish(const csr_t *g, path_length_t *lengths)
{
    for (int64_t u = 0; g->value != NULL && u < g->n_nodes; u++)
        if (lengths[u] == PATH_NONE)
            lengths[u] = path_of_real(-1);
}
