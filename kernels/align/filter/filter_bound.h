/*
 * filter_bound.h - what an alignment must fulfil to reach an identity c.
 *
 * Let an alignment of A (m letters) and B (n) have C columns, M of them matches with
 * M >= c C, and e = C - M others; so e <= e(C) = floor(C (1 - c)).
 *
 * Lengths.  M <= min(m, n).  Counted ends: C >= max(m, n), so min >= c max.  With the
 * query's ends counted all of A, the query, is in columns: C >= m, so n >= c m; how long
 * the target is beyond that does not matter.
 *
 * Windows.  Call k successive columns a good window if all are matches.  C columns have
 * C - k + 1 windows and each of the e others lies in at most k of them, so there are at
 * least f(C) = C - k + 1 - k e(C) good ones, each over another window of k letters of A
 * and of B.  C itself is not known, only C >= C0: the least is T(C0) = min f(C), C >= C0,
 * which never falls as C0 grows.  (The k-gram lemma: Ukkonen 1992; Jokinen, Ukkonen
 * 1991.)
 *
 * What is C0?  Counted ends: C >= max(m, n).  The query's ends counted: C >= m.  Free
 * ends: C >= L = ceil(min_overlap x min(m, n)), and the path leads from the top or left
 * border to the bottom or right one. Either all of A's or all of B's letters are in
 * columns, then C >= min(m, n); or A's first letters meet B's last, or the reverse (a
 * dovetail), then no more than the C letters at those ends are in columns.  Dovetails of
 * lo .. hi columns hence need T(lo) good windows within hi letters at A's start and B's
 * end, or the reverse.  Lengths from L to the shorter sequence's are cut into FILTER_BINS
 * + 1 bins; for the last, where ends are nearly whole, whole sequences are looked at.
 *
 * filter_kmers.h tells how many good windows two sequences can have at most.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BOUND_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BOUND_H

#include "kernels/align/common/align_spec.h"

enum { FILTER_BINS = 6, FILTER_K_MIN = 5, FILTER_K_MAX = 12 };

/* What is asked for; the part is in lowest terms. */
typedef struct {
    fraction_t part;
    fraction_t min_overlap; /* free ends */
    align_ends_t ends;
} filter_goal_t;

/* @return whether the part is one: 0 <= numerator <= denominator */
bool filter_goal_set(const align_spec_t *spec, fraction_t part, filter_goal_t *out);

/* @return L, the fewest columns that a pair may have, for a shorter sequence of len */
int64_t filter_goal_overlap(const filter_goal_t *goal, int64_t len);

/* @return e(C), columns of C that need not be matches */
int64_t filter_goal_max_edits(const filter_goal_t *goal, int64_t columns);

/* The lengths that a column may have for a row, the query, of len letters. */
void filter_goal_partner_lens(const filter_goal_t *goal, int64_t len, int32_t *least,
                              int32_t *most);

/* T of one k: least[C0] for C0 = 0 .. n-1. */
typedef struct {
    int k;
    int32_t *least;
    int64_t n;
} filter_bound_t;

/* Make T for pairs of sequences of at most max_len letters. @return ST_OK or ST_ENOMEM */
status_t filter_bound_create(const filter_goal_t *goal, int k, int64_t max_len,
                             filter_bound_t *out) MUST_CHECK;

void filter_bound_free(filter_bound_t *bound);

/* What a sequence needs: free ends, as the shorter of a pair; counted ends, as the
 * longer; the query's ends counted, as the query. */
typedef struct {
    int32_t any;              /* good windows for whatever alignment */
    int32_t bin[FILTER_BINS]; /* for dovetails of a bin; INT32_MAX: there are none such */
    int32_t whole;            /* for what is in no bin */
} filter_min_windows_t;

filter_min_windows_t filter_bound_min_windows(const filter_goal_t *goal,
                                              const filter_bound_t *bound, int64_t len);

/* What one of a pair asks of it. */
typedef struct {
    int32_t partner_min, partner_max; /* lengths that the other may have */
    int32_t windows;                  /* good ones, at least */
} filter_demand_t;

/*
 * What a row of len letters asks, without a table: ends are not free.
 *
 * Counted ends, too, have C >= len, so that this much holds whatever the column asks.
 * T(len) here is the least f(C) of len <= C <= len / c: with more columns the row's
 * letters, of which no more than len match, do not reach c.
 */
filter_demand_t filter_goal_demand(const filter_goal_t *goal, int k, int64_t len);

/* @return the most columns of bin k's dovetails, for a shorter sequence of len letters;
 *         never falls as len grows */
int64_t filter_goal_bin_end(const filter_goal_t *goal, int64_t len, int k);

#endif
