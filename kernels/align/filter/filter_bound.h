/*
 * filter_bound.h - what an alignment must fulfil to reach a minimum identity c: lengths
 * of the sequences, and the minimum number of good windows.
 *
 * A window is k successive columns; it is good if all of them are matches.  An alignment
 * with C columns that reaches c has at most E(C) = floor((1 - c) C) edits, and at least
 * f(C) = C - k + 1 - k E(C) good windows.  If only C >= C0 is known it has at least
 * T(C0), the minimum of f(C) over all C >= C0.
 *
 * With free ends, dovetails (alignments of one sequence's end with the other's start) of
 * few columns are divided by their columns into FILTER_BINS bins, and T is applied to
 * each bin.
 *
 * docs/filters.md has the definitions and proofs (stages 1 to 3).  filter_kmers.c bounds
 * the good windows from above.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/align/common/align_spec.h"

enum { FILTER_BINS = 6, FILTER_K_MIN = 5, FILTER_K_MAX = 12 };

/* What a pair must reach to be kept. */
typedef struct {
    fraction_t identity;    /* the minimum, in lowest terms */
    fraction_t min_overlap; /* free ends; otherwise 0 */
    align_ends_t ends;      /* priced ends are as free ones: they are no columns */
} filter_goal_t;

/*
 * Check that the bounds are proved for a kind of alignment and an identity.
 *
 * @return ST_OK, ST_EUSAGE (no proof; the identity is not between 0 and 1)
 */
status_t filter_goal_set(const align_spec_t *spec, fraction_t identity,
                         filter_goal_t *out) MUST_CHECK;

/* @return L, the minimum columns of a pair whose shorter sequence has len bases */
int64_t filter_goal_overlap(const filter_goal_t *goal, int64_t len);

/* @return E(columns), the maximum edits */
int64_t filter_goal_max_edits(const filter_goal_t *goal, int64_t columns);

/*
 * The lengths that a target may have.
 *
 * @param len  bases of the query
 */
void filter_goal_partner_lens(const filter_goal_t *goal, int64_t len, int32_t *min_len,
                              int32_t *max_len);

/* T for one k. */
typedef struct {
    int k;
    int32_t *min_good; /* [n] T(C0) for C0 = 0 .. n-1 */
    int64_t n;
} filter_bound_t;

/* Make T for pairs of sequences of at most max_len bases. @return ST_OK or ST_ENOMEM */
status_t filter_bound_create(const filter_goal_t *goal, int k, int64_t max_len,
                             filter_bound_t *out) MUST_CHECK;

void filter_bound_free(filter_bound_t *bound);

/* The minimum numbers of good windows, by where the alignment lies. */
typedef struct {
    int32_t any;              /* for any alignment */
    int32_t bin[FILTER_BINS]; /* for dovetails of a bin; INT32_MAX if it has none */
    int32_t whole;            /* for alignments in no bin */
} filter_min_good_t;

/*
 * @param len  bases of the sequence that decides: with free ends a pair's shorter one,
 *             with counted ends the longer one, with the query's ends counted the query
 */
filter_min_good_t filter_bound_min_good(const filter_goal_t *goal,
                                        const filter_bound_t *bound, int64_t len);

/* What one sequence demands of a pair that it is in. */
typedef struct {
    int32_t partner_min, partner_max; /* lengths that the other sequence may have */
    int32_t min_good;                 /* good windows */
} filter_demand_t;

/*
 * The demand of a query (row) of len bases if ends are not free, without a table of T.
 *
 * Counted ends have C >= len, too, so this much holds whatever the target demands.  Only
 * the f(C) of len <= C <= len / c are needed for T(len): at most len columns match, so an
 * alignment with more than len / c columns does not reach c.
 *
 * @param k  0: lengths alone
 */
filter_demand_t filter_goal_demand(const filter_goal_t *goal, int k, int64_t len);

/* @return the maximum columns of the dovetails of a bin, for a shorter sequence of len
 *         bases; never falls as len grows */
int64_t filter_goal_bin_end(const filter_goal_t *goal, int64_t len, int bin);
