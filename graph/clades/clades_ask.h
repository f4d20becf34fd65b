/*
 * clades_ask.h - questions to an integral histogram: two taxa, and all of them.
 */
#pragma once

#include "io/base/buf.h"
#include "io/clades/clades_file.h"
#include "io/pairs/pairs_file.h"

/* Append a lineage, its names separated by ';'. @return ST_OK or ST_ENOMEM (logged) */
status_t clades_lineage(const clades_t *c, int32_t taxon, buf_t *out) MUST_CHECK;

/*
 * Find a taxon.
 *
 * @param path  of the file, for messages
 * @param text  its name, with or without a prefix such as "g__", or its lineage
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: there is none, or there are several)
 */
status_t clades_find(const clades_t *c, const char *path, const char *text,
                     int32_t *out) MUST_CHECK;

/* @return whether the borders of a taxon are cuts */
bool clades_is_cut(const clades_t *c, int32_t taxon);

/* Pairs within a, within b, and of one of each. */
enum { CLADES_WITHIN_A, CLADES_WITHIN_B, CLADES_BETWEEN, CLADES_N_SETS };

/*
 * Count the pairs of two taxa, of which neither is a part of the other.
 *
 * Between cuts these are look-ups; pairs of sequences that lie between a cut and a border
 * are counted one by one.
 *
 * @param pairs  the file of pairs; NULL: all borders are cuts
 * @param count  [CLADES_N_SETS][n_bins] out
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t clades_ask(clades_file_t *f, const clades_t *c, int32_t a, int32_t b,
                    const pairs_file_t *pairs, int64_t *count) MUST_CHECK;

/* @param count  [c->n_bins] @return how many pairs they are */
int64_t clades_sum(const clades_t *c, const int64_t *count);

/* @return the bin of the k-th lowest identity, from 1; -1: there are fewer */
int64_t clades_kth(const clades_t *c, const int64_t *count, int64_t k);

/* What is known of a taxon; bins are -1 where there are no identities. */
typedef struct {
    int32_t taxon;
    int64_t n_pairs;                /* within it, with an identity */
    int64_t min, median;            /* bins of these */
    int32_t nearest;                /* the part of the same taxon that has the most
                                     * similar sequence; -1: none */
    int64_t n_nearest, max_nearest; /* pairs in the bin of the highest identity to it */
    int64_t n_misfits; /* its sequences that are more similar to one that is certainly of
                        * another taxon than to any of their own, which there is */
} clades_row_t;

/*
 * Describe all taxa whose borders are cuts, but the root.
 *
 * @param rows    [*n_rows] out: the caller's (free), in taxonomic order
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t clades_table(clades_file_t *f, const clades_t *c, clades_row_t **rows,
                      int64_t *n_rows) MUST_CHECK;
