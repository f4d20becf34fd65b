/*
 * clades_count.h - counts the pairs of a rectangle of the matrix by blocks and bins, and
 * adds up such counts.
 *
 * The record of a rectangle is a byte string: the pairs by level and bin, the highest
 * identities of the rectangle's rows and columns by level, and the counts of pairs of
 * blocks and bin that are not 0.
 */
#pragma once

#include "io/base/buf.h"
#include "io/clades/clades_file.h"
#include "io/pairs/pairs_scan.h"

typedef struct {
    int32_t row, col, matches, columns; /* columns > 0 */
} clades_pair_t;

/* A plan, by rows of the file of pairs. */
typedef struct {
    const clades_t *plan;
    int32_t *position; /* [n] in taxonomic order */
    int32_t *block;    /* [n] */
    int32_t *lineage;  /* [n][n_ranks] taxa; -1: none of that rank */
} clades_map_t;

/* @param out  released by clades_map_free @return ST_OK or ST_ENOMEM (logged) */
status_t clades_map_make(const clades_t *plan, clades_map_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void clades_map_free(clades_map_t *m);

/* @return the bin of an identity */
static inline int64_t clades_bin(const clades_t *c, int32_t matches, int32_t columns)
{
    return (int64_t)matches * (c->n_bins - 1) / columns;
}

/* Make the record of n pairs of a rectangle. @param out  empty
 * @return ST_OK or ST_ENOMEM (logged) */
status_t clades_count_pairs(const clades_map_t *m, const pairs_region_t *r,
                            const clades_pair_t *pairs, int64_t n, buf_t *out) MUST_CHECK;

/* @return NULL, or why no rectangle has this record; a static text */
const char *clades_count_check(const clades_map_t *m, const pairs_region_t *r,
                               const buf_t *record);

/* Add a record's pairs by level, and take its highest identities, into the arrays of a
 * plan. */
void clades_count_add_levels(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, clades_t *to);

/* Add a record's counts of pairs whose first block is first .. last-1.
 * @param count  [last - first][n_cuts][n_bins] */
void clades_count_add_blocks(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, int64_t first, int64_t last,
                             int64_t *count);

/* Make rows of an integral histogram of the counts of rows of blocks, in order.
 * @param before  [n_cuts][n_bins] at first zeros: the row before @param count  one row of
 *                blocks; out: the integral's */
void clades_count_integrate(const clades_t *plan, int64_t row, int64_t *before,
                            int64_t *count);
