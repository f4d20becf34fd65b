/*
 * mutate_types.h - types of values that a reader does not expect.
 */
#pragma once

#include "tests/mutate/mutant.h"

/* @return a type at random, which the caller closes; it is noted */
hid_t mutate_types_make(mutant_t *m);

/*
 * Values of a type.
 *
 * @return n values, some of them with pointers to texts that stay; NULL if they would
 * take too much; the caller frees them
 */
void *mutate_types_values(mutant_t *m, hid_t type, uint64_t n);
