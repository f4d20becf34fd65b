/*
 * mutate.h - the mutations.  Each changes one thing at random, or nothing where the file
 * has no such thing, and notes it.
 */
#pragma once

#include "tests/mutate/mutant.h"

/* Values of a dataset of numbers: extremes, off by one, repeated, falling. */
void mutate_values(mutant_t *m);

/* Values that contradict each other: pairs with themselves, pairs twice, more matches
 * than columns, columns out of range, sizes with a sum above 2^63. */
void mutate_pairs(mutant_t *m);

/* Bytes and strings of a dataset of text. */
void mutate_texts(mutant_t *m);

/* Extent, type, storage or filters of a dataset, which is made again. */
void mutate_dataset(mutant_t *m);

/* The extents of all datasets of a group alike, so that they still fit each other. */
void mutate_extents(mutant_t *m);

/* The stored bytes of a chunk. */
void mutate_chunks(mutant_t *m);

/* Names, groups and links: missing, exchanged, cyclic, to other files. */
void mutate_links(mutant_t *m);

/* Attributes: missing, other types, other values. */
void mutate_attributes(mutant_t *m);

/* Bytes of a file, most of them of its metadata; the file is closed. */
void mutate_bytes(mutant_t *m);

/* The whole file: truncated, empty, another kind of file, with a user block; it is
 * closed. */
void mutate_file(mutant_t *m);
