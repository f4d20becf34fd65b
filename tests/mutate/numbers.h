/*
 * numbers.h - a dataset of integers, in memory while it is changed.
 */
#pragma once

#include "tests/mutate/mutate.h"

typedef struct {
    hid_t dataset;
    int64_t n;
    int64_t *value; /* [n] */
} numbers_t;

/* Read a dataset of at most a million integers. @return whether there is one, not empty
 */
bool numbers_open(mutant_t *m, const char *path, numbers_t *v);

/* @return a + b modulo 2^64 */
static inline int64_t numbers_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Close it; with `writes` write the values first, clamped to the dataset's type. */
void numbers_close(numbers_t *v, bool writes);
