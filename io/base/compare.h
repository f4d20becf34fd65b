/*
 * compare.h - the order of numbers, for qsort and bsearch.
 */
#pragma once

#include <stdint.h>

static inline int compare_int32(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static inline int compare_int64(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Without a NAN. */
static inline int compare_double(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}
