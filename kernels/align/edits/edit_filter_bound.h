/*
 * edit_filter_bound.h - the maximum number of edits of an alignment that reaches a
 * minimum identity, by the cell in which it ends.
 *
 * Rows are the bases of the query, columns those of the target; an edit is a mismatch or
 * a gap.  An alignment that reaches the identity c has an end (i, j) with
 *
 *    F(i, j) <= floor((1 - c) min(i, j) / c),
 *
 * where F(i, j) is the minimum number of edits of all paths to that cell. docs/filters.md
 * ("Stage 4: edits") has the proof, and says which cells may be ends.
 */
#pragma once

#include "kernels/align/filter/filter_bound.h"

typedef struct {
    filter_goal_t goal;
    int32_t *max_edits; /* [n] floor((1 - c) k / c), for ends with min(i, j) = k */
    int64_t n;
} edit_filter_bound_t;

/*
 * Make the table for sequences of at most max_len bases.
 *
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE (the identity is not above 0 and at most 1)
 */
status_t edit_filter_bound_create(const align_spec_t *spec, fraction_t identity,
                                  int64_t max_len, edit_filter_bound_t *out) MUST_CHECK;

void edit_filter_bound_free(edit_filter_bound_t *bound);

/*
 * The minimum of min(i, j) over the ends (i, j) that have to be tested.
 *
 * @param shorter  bases of the pair's shorter sequence
 * @return c L rounded up with free ends; at least 1, because there must be a match
 */
int32_t edit_filter_bound_min_end(const edit_filter_bound_t *bound, int64_t shorter);

/* How many k-mers two sequences must share on neighbouring diagonals, so
 * that an alignment there can reach a minimum identity.
 *
 * Free ends only.  docs/filters.md ("Bands") has the proof. */

/* Bases of a k-mer.  16S genes share 8-mers by chance less often than 6-mers, but an
 * edit destroys more of them. */
enum { KMER_BAND_K = 6 };

/*
 * Compute the k-mers that a pair without ambiguity codes must share.
 *
 * @param needed  [bound->n] out: by k, the minimum over all ends (i, j) with
 *                min(i, j) >= k; 0: none need be shared.  Each code costs KMER_BAND_K
 * @return whether some element is above 0
 */
bool kmer_band_needed(const edit_filter_bound_t *bound, int32_t *needed);
