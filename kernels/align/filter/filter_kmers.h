/*
 * filter_kmers.h - which windows of k letters sequences hold, a bit vector each;
 * popcounts of two vectors' AND bound how many good windows (filter_bound.h) a pair can
 * have.
 *
 * A window's bits are those of every word of k bases that it can stand for: a letter
 * stands for its set's bases, and letters match only where sets meet, so the two windows
 * under a good one have a bit in common.  A window with a letter that matches nothing is
 * never good and has no bits.  One that stands for more than FILTER_WINDOW_KMERS_MAX
 * words is dropped: it has no bits but is counted.
 *
 * Windows may share bits: repeats, or words that hash alike.  Put into a vector one by
 * one, in whatever order, a window is in excess if one of its bits is set already.  The
 * bits of windows that are not are disjoint, so g good windows of neither dropped nor (in
 * A) excess ones have g different bits, set in both vectors.  Hence, for A and B and
 * likewise with B's excess,
 *
 *     good windows <= popcount(A & B) + dropped(A) + dropped(B) + min(excess A, excess B)
 *
 * The same holds of pieces: what starts or ends a sequence has a vector of its own, half
 * as long, and an excess of its own, for each bin of dovetails.  Bins' lengths never
 * fall, so a bin's start is the one before it and more windows, put from the sequence's
 * first on; ends grow likewise from its last window on.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_KMERS_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_KMERS_H

#include "io/base/pool.h"
#include "kernels/align/filter/filter_bound.h"

enum { FILTER_WINDOW_KMERS_MAX = 16, FILTER_LOG_MIN = 10, FILTER_LOG_MAX = 16 };

/* What is known of a sequence but its vectors. */
typedef struct {
    int32_t len;
    filter_demand_t row, col; /* as the row, the query, of a pair, and as the column */
    int32_t dropped, excess;
    int32_t end_excess[2][FILTER_BINS]; /* of starts, of ends */
    filter_min_windows_t need;
} filter_seq_t;

typedef struct {
    int64_t n;
    int n_words;        /* 64-bit words of a whole sequence's vector, a multiple of 16 */
    int n_end_words;    /* of a start's or end's: half; 0 where there are no dovetails */
    uint64_t *whole;    /* [n][n_words], aligned to 64 bytes */
    uint64_t *ends;     /* [n][2][FILTER_BINS][n_end_words] likewise */
    filter_seq_t *seqs; /* [n] */
} filter_kmers_t;

/* Which sequences: n from `first` on, or those that are listed. */
typedef struct {
    int64_t first, n;
    const int64_t *listed; /* [n] or NULL */
} filter_range_t;

/* How vectors are made. */
typedef struct {
    filter_goal_t goal;
    filter_bound_t bound;          /* k 0: no vectors, lengths alone are known */
    int log_bits;                  /* of a whole sequence's vector */
    bool per_row_identity;         /* and columns nothing */
    uint8_t set_of[ALPHABET_SIZE]; /* letters match only where these meet */
} filter_params_t;

/* @return the log_bits that suit a set, of which n_rows are rows and the others columns
 *         (0: all are both), and fit */
int filter_kmers_log_bits(const seqset_t *set, int64_t n_rows, align_ends_t ends,
                          int64_t bytes_max);

/* Make the vectors of some of a set. @return ST_OK or ST_ENOMEM */
status_t filter_kmers_create(pool_t *pool, const seqset_t *set,
                             const filter_params_t *params, filter_range_t range,
                             filter_kmers_t **out) MUST_CHECK;

/* @return the vector of the start (0) or end (1) of sequence i for bin k */
static inline const uint64_t *filter_kmers_end(const filter_kmers_t *g, int64_t i,
                                               int end, int k)
{
    return g->ends + ((i * 2 + end) * FILTER_BINS + k) * g->n_end_words;
}

/* Takes NULL. */
void filter_kmers_destroy(filter_kmers_t *kmers);

#endif
