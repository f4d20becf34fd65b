/*
 * path_length.c - whether all lengths of a graph are numbers.
 */
#include "kernels/graph/common/path_length.h"

#include <float.h>

/* A shortest path has fewer arcs than nodes, at most 2^31, and each of its sums is
 * rounded by a factor of at most 1 + 2^-53. */
static const double rounding = 1 + 0x1p-20;

int64_t path_find_unfit(const csr_t *g)
{
    const double max = DBL_MAX / rounding / (double)(g->n_nodes > 2 ? g->n_nodes - 1 : 1);

    for (int64_t a = 0; g->value != NULL && a < g->n_arcs; a++)
        if (!(g->value[a] >= 0 && g->value[a] <= max))
            return a;
    return -1;
}
