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

/* A record in the making. */
typedef struct {
    const clades_map_t *map;
    pairs_region_t region;
    uint64_t *keys; /* [2][n_max] */
    int64_t n, n_max;
    buf_t record;
} clades_count_t;

/* Begin the record of a rectangle of at most n_max pairs.
 * @param out  needs clades_count_end after ST_OK @return ST_OK or ST_ENOMEM (logged) */
status_t clades_count_begin(const clades_map_t *m, const pairs_region_t *r, int64_t n_max,
                            clades_count_t *out) MUST_CHECK;

/* Count pairs of the rectangle, or of one of its rows with columns col, col + 1 ...;
 * those without an identity have columns = 0. */
void clades_count_pairs(clades_count_t *w, const clades_pair_t *pairs, int64_t n);
void clades_count_row(clades_count_t *w, int64_t row, int64_t col, int64_t n,
                      const int32_t *matches, const int32_t *columns);

/* Append the record to `out`, and free what it took.
 * @param st  what came of counting @return also ST_ENOMEM (logged) */
status_t clades_count_end(clades_count_t *w, status_t st, buf_t *out) MUST_CHECK;

/* @return NULL, or why no rectangle has this record; a static text */
const char *clades_count_check(const clades_map_t *m, const pairs_region_t *r,
                               const buf_t *record);

/* Add a record's pairs by level, and take its highest identities, into the arrays of a
 * plan. */
void clades_count_add_levels(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, clades_t *to);

/* Where in a record the first count is that was not added up yet; zeros at first. */
typedef struct {
    size_t at;    /* from its first count on */
    uint64_t key; /* of the count before */
} clades_place_t;

/* Add a record's counts of pairs whose first block is first .. last-1, each but those of
 * the call before.
 * @param count  [last - first][n_cuts][n_bins] @param place  the record's */
void clades_count_add_blocks(const clades_map_t *m, const pairs_region_t *r,
                             const buf_t *record, int64_t first, int64_t last,
                             clades_place_t *place, int64_t *count);

/* Make rows of an integral histogram of the counts of rows of blocks, in order.
 * @param before  [n_cuts][n_bins] at first zeros: the row before @param count  one row of
 *                blocks; out: the integral's */
void clades_count_integrate(const clades_t *plan, int64_t row, int64_t *before,
                            int64_t *count);
