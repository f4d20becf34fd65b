/*
 * nbc_matrix.h - a model as backends use it: the gain of each word in each class, as one
 * matrix of 16-bit numbers, in blocks of classes.
 *
 * The matrix of all words takes 131 kB per class: 0.42 GB for the 3,240 classes of RDP's
 * training set 18, 1.3 GB for 10,000 classes; what bounds costs takes 1/16 more.
 */
#pragma once

#include "kernels/classify/nbc_model.h"
#include "kernels/classify/simd/nbc_rows.h"

typedef struct {
    int64_t n_rows;
    int32_t n_blocks;    /* of NBC_BLOCK classes */
    uint16_t *gains;     /* [n_blocks][n_rows][NBC_BLOCK], 0 where there is no class */
    int32_t *row_cost;   /* [n_rows] nbc_word_cost */
    int64_t *class_rate; /* [n_blocks][NBC_BLOCK] nbc_class_rate, 0 without references */
    int32_t n_safe;      /* number of gains whose sum is less than 2^16 */
    /* Groups of NBC_GROUP classes as if they were classes: the maximum of their gains,
     * and the minimum of their rates that are not 0, bound the costs of their classes
     * from below. */
    int32_t n_ceilings;  /* blocks of NBC_BLOCK groups */
    uint16_t *ceiling;   /* [n_ceilings][n_rows][NBC_BLOCK] */
    int64_t *group_rate; /* [n_ceilings][NBC_BLOCK] */
} nbc_matrix_t;

static inline int32_t nbc_matrix_blocks(int32_t n_classes)
{
    return (n_classes + NBC_BLOCK - 1) / NBC_BLOCK;
}

/* @return the bytes of the gains of n_rows words */
static inline int64_t nbc_matrix_bytes(int32_t n_classes, int64_t n_rows)
{
    return nbc_matrix_blocks(n_classes) * n_rows * NBC_ROW_BYTES;
}

/* @return the gains of a row in a block */
static inline uint16_t *nbc_matrix_row(const nbc_matrix_t *m, int32_t block, int64_t row)
{
    return m->gains + (block * m->n_rows + row) * NBC_BLOCK;
}

/* @return the maximum gains of a row, in the groups of NBC_GROUPS blocks each */
static inline uint16_t *nbc_matrix_ceiling(const nbc_matrix_t *m, int32_t ceiling,
                                           int64_t row)
{
    return m->ceiling + (ceiling * m->n_rows + row) * NBC_BLOCK;
}

/* @return the gain of a row in a class */
static inline uint16_t *nbc_matrix_gain(const nbc_matrix_t *m, int64_t row,
                                        int32_t class_number)
{
    return nbc_matrix_row(m, class_number / NBC_BLOCK, row) + class_number % NBC_BLOCK;
}

/* Allocate a matrix of zeros; nbc_matrix_bound completes it. @return ST_OK or ST_ENOMEM;
 * the caller frees it */
status_t nbc_matrix_create(int32_t n_classes, int64_t n_rows,
                           nbc_matrix_t *out) MUST_CHECK;

/* Compute what bounds costs, once all else is there. @param pool  NULL: the caller alone
 */
void nbc_matrix_bound(nbc_matrix_t *m, pool_t *pool);

/* Allocate the matrix of a model: row w is word w. @return ST_OK or ST_ENOMEM */
status_t nbc_matrix_of_model(const nbc_model_t *model, pool_t *pool,
                             nbc_matrix_t *out) MUST_CHECK;

/* Gains of one word: logarithms of small counts are computed once. */
enum { NBC_GAINS_KEPT = 64 };
typedef struct {
    int64_t n, n_refs;             /* n(w) and N */
    uint16_t kept[NBC_GAINS_KEPT]; /* by m(w); 0: not yet computed */
} nbc_word_gains_t;

/* @return nbc_gain of m > 0 */
uint16_t nbc_word_gain(nbc_word_gains_t *word, int32_t m);

/* @return the number of gains that add up to less than 2^16 */
int32_t nbc_matrix_safe(int64_t n_refs);

void nbc_matrix_free(nbc_matrix_t *m);
