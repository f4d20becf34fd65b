/*
 * pair_filter.h - rules out pairs that provably cannot reach an identity, unaligned.
 *
 * A pair reaches the part c if matches >= c x columns in its canonical alignment
 * (align_spec.h), columns > 0 and, with free ends, align_overlap_suffices.  Rows are the
 * queries, where it matters which is.  The filter
 * looks at what every alignment must fulfil that does so, hence never drops such a pair;
 * it may pass others.  docs/filters.md has the bounds and their proofs, filter_bound.h
 * the formulas.  One interface, a row a kind of device; all rows pass the same pairs.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_PAIR_FILTER_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_PAIR_FILTER_H

#include "kernels/align/common/aligner_backend.h"

/* Pairs of sequences row0 .. row1-1 with col0 .. col1-1 of the set. */
typedef struct {
    int64_t row0, row1, col0, col1;
} filter_rect_t;

/* Which sequences meet. */
typedef struct {
    bool triangle;  /* all against all: of a rectangle only pairs with row < column */
    int64_t n_rows; /* the set's first so many are rows, queries, and no columns; the
                     * others columns; 0: each is both */
    bool per_row_identity; /* each row may ask a part of its own:
                            * pair_filter_set_identities
                            */
} filter_shape_t;

/* What became of the pairs; the four last add up to the first. */
typedef struct {
    int64_t n_pairs;
    int64_t n_by_length;  /* ruled out by their lengths */
    int64_t n_by_kmers;   /* then by the windows that whole sequences share */
    int64_t n_by_overlap; /* then by those that their ends share */
    int64_t n_passed;
} filter_counts_t;

/* Batches that may be under way at a time. */
enum { PAIR_FILTER_DEPTH = 2 };

typedef struct pair_filter pair_filter_t;

/*
 * Make a filter for a set.  The set's vectors take at most a quarter of the device's
 * memory, of a host's 4 GiB; an aligner that is made afterwards goes by what is left.  A
 * batch takes an eighth of a byte a pair and 8 bytes a pair that passes, so some 10^8
 * pairs a batch are enough for a GPU.
 *
 * @param part      c as a decimal, 0 <= numerator <= denominator
 * @param shape     what the rectangles will be of
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_EUSAGE (c is no part of 1; per_row_identity
 * where ends are free or rows are columns, too)
 */
status_t pair_filter_create(const align_context_t *context, fraction_t part,
                            filter_shape_t shape, pair_filter_t **out) MUST_CHECK;

/*
 * Tell how far down a filter would be of use, by a sample.
 *
 * @param parts  [n_parts] descending
 * @param most   of the sample's pairs this part may pass
 * @param out    so many of the first parts are of use
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE
 */
status_t pair_filter_reach(const align_context_t *context, filter_shape_t shape,
                           const fraction_t *parts, int n_parts, fraction_t most,
                           int *out) MUST_CHECK;

/* Parts that rule out no pair, and every pair. */
static const fraction_t pair_filter_none = {0, 1}, pair_filter_every = {1, 0};

/*
 * From now on, and while no batch is under way, ask a part of its own of each row's pairs
 * instead of c.  For a filter whose shape has per_row_identity.
 *
 * @param parts  [shape.n_rows] as c, or pair_filter_every
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t pair_filter_set_identities(pair_filter_t *filter,
                                    const fraction_t *parts) MUST_CHECK;

/* Begin a batch, PAIR_FILTER_DEPTH at most at a time; borrowed until its wait returns.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t pair_filter_submit(pair_filter_t *filter, const filter_rect_t *rects,
                            int64_t n_rects) MUST_CHECK;

/*
 * Finish the oldest batch.
 *
 * @param pairs       what passed: query a row, target a column; rectangle k's are
 *                    rect_start[k] .. rect_start[k + 1] - 1, by row, then column.  The
 *                    filter's until the next submit
 * @param rect_start  [n_rects + 1] likewise
 * @param counts      of this batch; may be NULL
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t pair_filter_wait(pair_filter_t *filter, const pair_t **pairs,
                          const int64_t **rect_start, filter_counts_t *counts) MUST_CHECK;

/* @return letters of the windows that are compared; 0: they would rule out next to
 *         nothing, lengths alone are looked at */
int pair_filter_k(const pair_filter_t *filter);

/* Takes NULL; waits for what is under way. */
void pair_filter_destroy(pair_filter_t *filter);

#endif
