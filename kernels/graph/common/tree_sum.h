/*
 * tree_sum.h - sums of real numbers whose rounding does not depend on who adds them.
 *
 * The numbers x[0 .. n-1] are the leaves of a binary tree: leaves 2k and 2k+1 are added
 * first, then the results in the same way, up to one root; absent leaves count 0.  An
 * aligned range of 2^k leaves is a subtree, so that a thread, the lanes of a warp (xor
 * 1, 2, 4, ...) or several blocks add the same numbers in the same order.  The relative
 * error grows with log2(n) (Higham 1993).  x + 0 is exact, so zeros may be left out, as
 * long as every number keeps its position.
 *
 * Compilers must not contract a * b + c here: the build sets -ffp-contract=off for C, and
 * device code uses __dadd_rn and __dmul_rn.
 */
#pragma once

#include <stdint.h>

enum { TREE_SUM_LEVELS = 40 };

/* A sum that is read from the left: level k holds a subtree of 2^k numbers whose right
 * sibling has not come yet.  Set it to {0} first. */
typedef struct {
    uint64_t n;
    double level[TREE_SUM_LEVELS];
} tree_sum_t;

static inline void tree_sum_add(tree_sum_t *sum, double x)
{
    int k = 0;

    for (uint64_t n = sum->n++; n & 1; n >>= 1)
        x = sum->level[k++] + x;
    sum->level[k] = x;
}

/* @return the sum of all numbers so far and of the last one, which is not counted */
static inline double tree_sum_total_with(const tree_sum_t *sum, double last)
{
    int k = 0;

    for (uint64_t n = sum->n; n != 0; n >>= 1, k++)
        if (n & 1)
            last = sum->level[k] + last;
    return last;
}

/* @return the sum of all numbers so far */
static inline double tree_sum_total(const tree_sum_t *sum)
{
    return tree_sum_total_with(sum, 0);
}

/* @return the sum of x[0] .. x[n - 1], which may be sums of subtrees of equal size */
static inline double tree_sum_of(const double *x, int64_t n)
{
    tree_sum_t sum;

    sum.n = 0;
    for (int64_t k = 0; k < n; k++)
        tree_sum_add(&sum, x[k]);
    return tree_sum_total(&sum);
}
