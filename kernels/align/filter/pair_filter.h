/*
 * pair_filter.h - rules out pairs that provably cannot reach a minimum identity, without
 * aligning them.
 *
 * A pair reaches the identity c if matches >= c x columns in its canonical alignment
 * (align_spec.h), columns > 0 and, with free ends, align_overlap_suffices.  The filter
 * tests conditions that every such alignment fulfils, so it never rules out a pair that
 * reaches c; pairs that it passes may still be below c.  docs/filters.md has the bounds
 * and their proofs.
 *
 * There is one backend per kind of device; all backends pass the same pairs.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"

/* The pairs of sequences row0 .. row1-1 (queries) with col0 .. col1-1 (targets). */
typedef struct {
    int64_t row0, row1, col0, col1;
} filter_rect_t;

/* Which sequences of the set are compared. */
typedef struct {
    bool triangle;         /* all with all: of a rectangle only pairs with row < column */
    int64_t n_rows;        /* sequences 0 .. n_rows-1 are only rows, the others only
                            * columns; 0: each sequence is both */
    bool per_row_identity; /* rows may have minimum identities of their own:
                            * pair_filter_set_identities */
} filter_shape_t;

/* How many pairs each stage ruled out; the last four add up to the first. */
typedef struct {
    int64_t n_pairs;
    int64_t n_by_length;  /* by their lengths */
    int64_t n_by_kmers;   /* else by the k-mers that whole sequences share */
    int64_t n_by_overlap; /* else by the k-mers that their ends share */
    int64_t n_passed;
} filter_counts_t;

/* Batches that may be in flight. */
enum { PAIR_FILTER_DEPTH = 2 };

typedef struct pair_filter pair_filter_t;

/*
 * Make a filter for a set.
 *
 * The vectors of the set take at most a quarter of the device's memory, and on a CPU at
 * most 4 GiB; an aligner that is created afterwards uses what is left.  A batch takes one
 * bit per pair and 8 bytes per pair that passes.  Some 10^8 pairs per batch are enough to
 * keep a GPU busy.
 *
 * @param identity  c, the minimum: 0 <= numerator <= denominator
 * @param shape     of the rectangles to come
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_EUSAGE (c is not between 0 and 1; there is no
 *         proof for this kind of alignment; per_row_identity although ends are free or
 *         rows are also columns)
 */
status_t pair_filter_create(const align_context_t *context, fraction_t identity,
                            filter_shape_t shape, pair_filter_t **out) MUST_CHECK;

/*
 * Estimate, with a sample, down to which identity a filter is useful.
 *
 * @param identities  [n] falling
 * @param max_passed  the fraction of all pairs that may pass
 * @param out         how many of the identities, from the first on, are useful
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE
 */
status_t pair_filter_reach(const align_context_t *context, filter_shape_t shape,
                           const fraction_t *identities, int n, fraction_t max_passed,
                           int *out) MUST_CHECK;

/* Minimum identities that rule out no pair, and every pair. */
static const fraction_t pair_filter_none = {0, 1}, pair_filter_every = {1, 0};

/*
 * Replace c by a minimum identity per row, for the batches submitted from now on.  The
 * shape has per_row_identity, and no batch is in flight.
 *
 * @param identities  [shape.n_rows] as c, or pair_filter_every
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t pair_filter_set_identities(pair_filter_t *filter,
                                    const fraction_t *identities) MUST_CHECK;

/*
 * Begin a batch; at most PAIR_FILTER_DEPTH may be in flight.
 *
 * @param rects  borrowed until the batch's wait returns
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t pair_filter_submit(pair_filter_t *filter, const filter_rect_t *rects,
                            int64_t n_rects) MUST_CHECK;

/*
 * Finish the oldest batch.
 *
 * @param pairs       what passed, valid until the next submit.  The query is the row, the
 *                    target the column.  The pairs of rectangle k are rect_start[k] ..
 *                    rect_start[k + 1] - 1, sorted by row, then by column
 * @param rect_start  [n_rects + 1] likewise
 * @param counts      of this batch; may be NULL
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t pair_filter_wait(pair_filter_t *filter, const pair_t **pairs,
                          const int64_t **rect_start, filter_counts_t *counts) MUST_CHECK;

/* Waits for what is in flight; takes NULL. */
void pair_filter_destroy(pair_filter_t *filter);
