/*
 * mutant.h - a result file that is being damaged: the copy, its random numbers, its
 * objects, and the line that says what was done.
 *
 * A mutant depends only on the file and the seed, so that a failing one can be made
 * again.
 */
#pragma once

#include "io/base/rng.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MUTANT_NAME_BYTES = 256, MUTANT_NOTE_BYTES = 2048 };

typedef struct {
    rng_t rng;
    const char *path; /* of the copy */
    hid_t file;       /* the copy, while its objects are changed */
    char note[MUTANT_NOTE_BYTES];
} mutant_t;

/* What mutant_pick may pick. */
typedef enum { MUTANT_DATASET = 1, MUTANT_GROUP = 2, MUTANT_LINK = 4 } mutant_kind_t;

/* Append to the line that says what was done. */
__attribute__((format(printf, 2, 3))) void mutant_note(mutant_t *m, const char *format,
                                                       ...);

/* @return a uniform integer in 0..n-1; 0 if n is 0 */
uint64_t mutant_below(mutant_t *m, uint64_t n);

/* @return whether a thing happens that happens `percent` times in 100 */
bool mutant_chance(mutant_t *m, int percent);

/* @return an integer at which programs fail: -1, 2^31, n + 1, ... */
int64_t mutant_integer(mutant_t *m, int64_t n);

/* @return a text at which programs fail; *len is its number of bytes, without the zero.
 * The text is valid until the next call. */
const char *mutant_text(mutant_t *m, size_t *len);

/*
 * Pick an object at random.
 *
 * @param kinds  bits of mutant_kind_t; MUTANT_LINK: soft and external links
 * @param path   [MUTANT_NAME_BYTES] its path
 * @return whether there is one
 */
bool mutant_pick(mutant_t *m, unsigned kinds, char *path);

/* Open a dataset. @return it, or less than 0 */
hid_t mutant_open(mutant_t *m, const char *path);

/* Fill a buffer with bytes of bases, digits, CIGARs or control characters. */
void mutant_fill(mutant_t *m, void *bytes, size_t n);
