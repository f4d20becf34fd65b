/*
 * seqset.h - a sequence set: sequences of one alphabet in the order of their file.
 *
 * Each base or residue is one byte, a code of alphabet.h; all sequences are contiguous.
 * Sequences are identified by their index, from 0; names need not be unique.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/pool.h"
#include "io/seq/alphabet.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    alphabet_t alphabet;
    int64_t n;            /* sequences */
    uint8_t *letters;     /* [offset[n]] codes, never CODE_NONE */
    int64_t *offset;      /* [n + 1] start of each sequence in letters */
    char *names;          /* [name_offset[n]] names, each with its final NUL */
    int64_t *name_offset; /* [n + 1] start of each name in names */
} seqset_t;

extern const arrays_t seqset_arrays;
extern const arrays_t seqset_index_arrays; /* without letters, which are NULL */

/* @return the length of sequence i in bases */
static inline int64_t seqset_len(const seqset_t *set, int64_t i)
{
    return set->offset[i + 1] - set->offset[i];
}

/* @return the codes of sequence i: seqset_len bytes */
static inline const uint8_t *seqset_letters(const seqset_t *set, int64_t i)
{
    return set->letters + set->offset[i];
}

/* @return the name of sequence i */
static inline const char *seqset_name(const seqset_t *set, int64_t i)
{
    return set->names + set->name_offset[i];
}

/* @return the length of the longest sequence, 0 for an empty set */
int64_t seqset_max_len(const seqset_t *set);

/* Builds a set record by record.  A zeroed builder is empty, for DNA. */
typedef struct {
    alphabet_t alphabet;
    buf_t letters, names, offsets, name_offsets;
    int64_t n;
} seqset_builder_t;

/*
 * Append a record.
 *
 * @param letters  [len] codes, never CODE_NONE
 * @param name     [name_len] bytes without a NUL
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_builder_add(seqset_builder_t *b, const char *name, size_t name_len,
                            const uint8_t *letters, size_t len) MUST_CHECK;

/*
 * Append the records of several builders, one builder after the other.
 *
 * @param pool  threads that copy; NULL: the caller alone
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_builder_join(seqset_builder_t *b, const seqset_builder_t *const *from,
                             int n, pool_t *pool) MUST_CHECK;

/* Drop the records added, and keep the memory for others. */
void seqset_builder_clear(seqset_builder_t *b);

/*
 * Make a set of the records added; the builder is empty afterwards.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_builder_finish(seqset_builder_t *b, seqset_t **out) MUST_CHECK;

/* Discard the records added. */
void seqset_builder_free(seqset_builder_t *b);

/*
 * Allocate a set of n sequences of DNA with n_letters bases and names_bytes bytes of
 * names.  The caller fills every array, for example with a set received from another
 * rank.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_create(int64_t n, int64_t n_letters, int64_t names_bytes,
                       seqset_t **out) MUST_CHECK;

/*
 * Remove all sequences but some, in place.
 *
 * @param kept  [n_kept] their indices, ascending
 */
void seqset_keep(seqset_t *set, const int32_t *kept, int64_t n_kept);

/* @return a digest of names, lengths and bases */
uint64_t seqset_digest(const seqset_t *set);

/* Takes NULL. */
void seqset_destroy(seqset_t *set);

/* Queries, their reverse complements and references in one set, so that
 * pairs are identified by indices into a single set. */

/*
 * Concatenate the queries, with both_strands their reverse complements, and the
 * references.
 *
 * Query i has index i and its reverse complement queries->n + i; references follow.
 * Reverse complements have empty names.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t seqset_join(const seqset_t *queries, bool both_strands,
                     const seqset_t *references, seqset_t **out) MUST_CHECK;
