/*
 * nbc_score.h - classifies a few reads on one thread of a CPU, block by block of the
 * classes, so that the rows of a block stay in the cache for all of their resamples.
 */
#pragma once

#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_matrix.h"

/* What reads are scored by; borrowed. */
typedef struct {
    const nbc_matrix_t *matrix[NBC_STRANDS]; /* of the words of either orientation */
    const nbc_classes_t *classes;
    const nbc_rows_t *rows;
    nbc_options_t options;
} nbc_scorer_t;

/* A read in both orientations, forward first. */
typedef struct {
    int32_t n_words;
    int n_strands;                /* 1: forward only */
    uint16_t *words[NBC_STRANDS]; /* [n_words] rows of the strand's matrix, in the order
                                   * of ascending words */
    uint64_t key[NBC_STRANDS];    /* nbc_words_key */
} nbc_read_t;

/* Scratch of one thread, which grows on demand. */
typedef struct nbc_scratch nbc_scratch_t;

status_t nbc_scratch_create(nbc_scratch_t **out) MUST_CHECK;

/* Takes NULL. */
void nbc_scratch_destroy(nbc_scratch_t *s);

/*
 * Classify reads.
 *
 * @param reads  [n]
 * @param first  the row of out that is the first read's
 * @param out    results of at least first + n reads; these rows are filled in
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_score(const nbc_scorer_t *scorer, const nbc_read_t *reads, int64_t n,
                   nbc_scratch_t *scratch, int64_t first, nbc_results_t *out) MUST_CHECK;

/* nbc_without.c: classifies reads as if some references had never been there, as
 * training and evaluation need it.
 *
 * The results are those of a model that is built without these references; classes that
 * lose all of theirs are never best.  One read takes some milliseconds. */

/* For one thread. */
typedef struct nbc_without nbc_without_t;

/* @param context  what its pointers lead to is borrowed until destroy; the pool is not
 *                 used
 * @return ST_OK or ST_ENOMEM */
status_t nbc_without_create(const nbc_context_t *context, nbc_without_t **out) MUST_CHECK;

/*
 * Classify one read.
 *
 * @param read     of a set of DNA
 * @param removed  [n_removed] different references; those without a class are ignored
 * @param out      of one read, valid until the next call
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_without_classify(nbc_without_t *s, const seqset_t *reads, int64_t read,
                              const int32_t *removed, int64_t n_removed,
                              nbc_results_t *out) MUST_CHECK;

/* Takes NULL. */
void nbc_without_destroy(nbc_without_t *s);
