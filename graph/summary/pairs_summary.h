/*
 * pairs_summary.h - what a report shows of a result file, taken from its pairs in two
 * passes: counts, groups and an order first, then the mean identities of the picture's
 * cells.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_PAIRS_SUMMARY_H
#define RIBOGRID_GRAPH_SUMMARY_PAIRS_SUMMARY_H

#include "io/pairs/pairs_scan.h"

/* Bars of whole percent, [k, k + 1); the last is of identity 1 alone. */
enum { PAIRS_SUMMARY_BARS = 101 };

typedef struct {
    int64_t n;                             /* sequences */
    int64_t n_identities;                  /* pairs with an identity in the file */
    int64_t n_close;                       /* of these, at or above the cutoff */
    int64_t histogram[PAIRS_SUMMARY_BARS]; /* their identities */
    int32_t *order;                        /* [n] leaves, see spanning_forest.h */
    int64_t *otus;                         /* [n_otus] abundances, descending */
    int64_t n_otus;
} pairs_summary_t;

/*
 * Look at every pair of a file of all against all.
 *
 * @param id   the cutoff of OTUs: single linkage, each linked by a pair at or above it
 * @param out  to be given back with pairs_summary_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void pairs_summary_free(pairs_summary_t *s);

/* The picture: rows and columns are equal parts of the order. */
typedef struct {
    int side;
    double
        *mean; /* [side x side] identity of the cell's pairs that have one; NAN: none */
    double *share; /* [side x side] of its pairs, those that have one */
} heat_map_t;

/*
 * Average the identities, cell by cell.  A cell on the diagonal that holds one sequence
 * alone stands for that sequence with itself: 1.
 *
 * @param order  [n] the sequences, as they are shown
 * @param side   cells, at most n
 * @param out    to be given back with heat_map_free
 * @return as pairs_summary_make
 */
status_t heat_map_make(const pairs_file_t *file, const int32_t *order, int side,
                       heat_map_t *out) MUST_CHECK;

/* @return the first place in the order of n that belongs to row k of the cells */
int64_t heat_map_begin(const heat_map_t *c, int64_t n, int k);

/* Takes a zeroed one, too. */
void heat_map_free(heat_map_t *c);

#endif
