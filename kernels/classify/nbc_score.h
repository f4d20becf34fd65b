/*
 * nbc_score.h - classifies a few reads on one thread of a CPU, block by block of the
 * classes, so that the rows of a block stay in the cache for all of their resamples.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_SCORE_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_SCORE_H

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

#endif
