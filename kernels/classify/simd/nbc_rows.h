/*
 * nbc_rows.h - sums of rows of gains, for a block of classes at a time.
 *
 * There is one set of functions per vector level; which one runs is chosen at run time.
 */
#pragma once

#include "kernels/device/device.h"

#include <stddef.h>

/* Classes of a block, and of the groups that it consists of.  A row is the gains of one
 * word in a block. */
enum {
    NBC_BLOCK = 64,
    NBC_ROW_BYTES = NBC_BLOCK * 2,
    NBC_GROUP = 16,
    NBC_GROUPS = NBC_BLOCK / NBC_GROUP
};

/* Rows of a whole matrix are far away; they are prefetched this number of rows ahead. */
enum { NBC_ROWS_AHEAD = 12 };

static inline void nbc_rows_prefetch(const uint16_t *rows, const uint16_t *picks,
                                     int32_t k, int32_t n)
{
    const uint16_t *row;

    if (k + NBC_ROWS_AHEAD >= n)
        return;
    row = rows + (size_t)picks[k + NBC_ROWS_AHEAD] * NBC_BLOCK;
    __builtin_prefetch(row);
    __builtin_prefetch(row + NBC_BLOCK / 2);
}

/* Costs of resamples; per resample the best so far. */
typedef struct {
    const uint16_t *rows;  /* [..][NBC_BLOCK] aligned to NBC_ROW_BYTES */
    const uint16_t *draws; /* [n_resamples][n_draws] rows */
    int n_resamples;
    int32_t n_draws;
    int32_t n_safe; /* number of gains whose sum is less than 2^16; at least 1 */
    const int32_t *class_cost; /* [NBC_BLOCK] for n_draws words, aligned to 64 bytes */
    int32_t first_class;       /* of the block */
    int32_t *best_cost;        /* [n_resamples] in and out */
    int32_t *best_class;       /* [n_resamples] in and out */
    uint64_t *masks;           /* [n_resamples] */
    int shift; /* bit shift + k of a mask: group k of the block is tried */
    /* Rows of a whole matrix to request meanwhile, which are needed next. */
    const uint16_t *next_rows, *next_picks; /* [n_next] */
    int32_t n_next;
} nbc_resamples_t;

typedef struct {
    /*
     * Add up rows.
     *
     * @param rows    [..][NBC_BLOCK] aligned to NBC_ROW_BYTES
     * @param picks   [n] rows to add
     * @param n_safe  as above
     * @param sums    [NBC_BLOCK] out, aligned to 64 bytes
     */
    void (*add)(const uint16_t *rows, const uint16_t *picks, int32_t n, int32_t n_safe,
                int32_t *sums);

    /* Replace the best class of every resample for which a class of the groups tried
     * costs less, or as much and has a smaller number. */
    void (*resample)(const nbc_resamples_t *t);

    /* Set bit k of every mask whose best class does not cost less than class k of the
     * block.  The classes are groups; shift, first_class and best_class are not used. */
    void (*bound)(const nbc_resamples_t *t);
} nbc_rows_t;

extern const nbc_rows_t nbc_rows_plain;
extern const nbc_rows_t nbc_rows_avx2;
extern const nbc_rows_t nbc_rows_avx512;

/* @return the functions for a CPU of this level */
const nbc_rows_t *nbc_rows_of(simd_level_t level);
