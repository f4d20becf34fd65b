/*
 * base_planes.h - sequences of nucleotides as bit planes: one bit per base of a code.
 *
 * Plane b holds bit b of each code (alphabet.h), 64 places per word: whether the code
 * has A, C, G or T.  Every sequence begins in a word of its own.  Places behind its end
 * have all bits, as N has, up to its last word and in the words behind the last sequence.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    BASE_PLANES = 4,
    BASE_PLANES_PAD = 96 /* words that may be read behind the last sequence */
};

typedef struct {
    int64_t n;           /* sequences */
    int64_t n_words;     /* of a plane, with the padding */
    int64_t *first_word; /* [n + 1] of each sequence */
    int32_t *len;        /* [n] in bases */
    int64_t *words;      /* [BASE_PLANES][n_words] as unsigned */
} base_planes_t;

extern const arrays_t base_planes_arrays;

static inline uint64_t *base_planes_plane(const base_planes_t *p, int plane)
{
    return (uint64_t *)p->words + plane * p->n_words;
}

/*
 * Allocate planes for sequences of these lengths; base_planes_set or
 * base_planes_set_letters fills in every sequence.
 *
 * @param len  [n]; base_planes_create copies it
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t base_planes_create(int64_t n, const int32_t *len, base_planes_t *out) MUST_CHECK;

/* Set sequence i. @param codes  [len[i]] of DNA */
void base_planes_set(base_planes_t *p, int64_t i, const uint8_t *codes);

/* Set sequence i from letters, of either case. @param letters  [len[i]]
 * @return the first that is no nucleotide, or -1 */
int32_t base_planes_set_letters(base_planes_t *p, int64_t i, const char *letters);

/* Make planes of a set of DNA. @return ST_OK or ST_ENOMEM (logged) */
status_t base_planes_of_set(const seqset_t *set, base_planes_t *out) MUST_CHECK;

/* @return the code at a place of sequence i */
uint8_t base_planes_code(const base_planes_t *p, int64_t i, int64_t at);

/* Takes zeroed ones, too. */
void base_planes_free(base_planes_t *p);
