/*
 * made_leaf_counts.h - counts of the leaves of trees, for tests.
 */
#pragma once

#include "io/graphfile/read/leaf_counts.h"

enum { MADE_SAMPLES = 3 };

/*
 * Make three samples: each leaf once; two thirds of the leaves, of which one has as much
 * as fits; and no leaf.  Fails the program without memory.
 *
 * @return freed by arrays_free
 */
leaf_counts_t made_leaf_counts(const csr_t *g);
