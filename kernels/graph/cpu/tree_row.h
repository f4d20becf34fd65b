/*
 * tree_row.h - tree sums of a row, eight numbers at a time in registers.
 *
 * Eight numbers at a multiple of eight are a subtree of tree_sum.h; its sum is a leaf of
 * the tree above.  The last, shorter part is a subtree whose other leaves are 0.
 */
#pragma once

#include "kernels/graph/common/tree_sum.h"

enum { TREE_ROW_STEP = 8 };

static inline double tree_row_sum_8(double a, double b, double c, double d, double e,
                                    double f, double g, double h)
{
    return ((a + b) + (c + d)) + ((e + f) + (g + h));
}

/* @return the sum of fewer than eight numbers x[to[0]], x[to[1]], ... */
static inline double tree_row_rest(const double *x, const int32_t *to, int64_t n)
{
    double sum = 0;

    if (n & 1)
        sum = x[to[n - 1]] + sum; /* 0 if that is -0, as in tree_sum_total */
    if (n & 2)
        sum = (x[to[n & 4]] + x[to[(n & 4) + 1]]) + sum;
    if (n & 4)
        sum = ((x[to[0]] + x[to[1]]) + (x[to[2]] + x[to[3]])) + sum;
    return sum;
}

/* @return the sum of x[to[0]] .. x[to[n - 1]] */
static inline double tree_row_gather(const double *x, const int32_t *to, int64_t n)
{
    tree_sum_t above;

    if (n < TREE_ROW_STEP)
        return tree_row_rest(x, to, n);
    above.n = 0;
    for (; n >= TREE_ROW_STEP; n -= TREE_ROW_STEP, to += TREE_ROW_STEP)
        tree_sum_add(&above, tree_row_sum_8(x[to[0]], x[to[1]], x[to[2]], x[to[3]],
                                            x[to[4]], x[to[5]], x[to[6]], x[to[7]]));
    return tree_sum_total_with(&above, tree_row_rest(x, to, n));
}
