/*
 * filter_kmers.h - bit vectors of the k-mers of sequences; the popcount of two vectors'
 * AND bounds from above how many good windows (filter_bound.h) a pair can have.
 *
 * A window of a sequence sets the bits of every k-mer that it can stand for.  It is
 * *dropped* if it stands for more than FILTER_WINDOW_KMERS_MAX k-mers; then it sets no
 * bits.  It is *excess* if one of its bits was set before by another window of the same
 * vector.  For two sequences A and B
 *
 *     good windows <= popcount(A & B) + dropped(A) + dropped(B) + min(excess(A),
 * excess(B))
 *
 * docs/filters.md ("Stage 2") has the proof.
 *
 * With free ends, the start and the end of a sequence have vectors of their own for each
 * bin of dovetails, of half as many bits, with excess windows of their own.  Bins never
 * get shorter, so the start of a bin is that of the bin before and more windows, added
 * from the first window of the sequence on; ends grow likewise from the last window on.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_KMERS_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_KMERS_H

#include "io/base/pool.h"
#include "kernels/align/filter/filter_bound.h"

enum { FILTER_WINDOW_KMERS_MAX = 16, FILTER_LOG_MIN = 10, FILTER_LOG_MAX = 16 };

/* What is known of a sequence, except its vectors. */
typedef struct {
    int32_t len;
    filter_demand_t row, col; /* as the row (query) of a pair, and as its column */
    int32_t dropped, excess;
    int32_t end_excess[2][FILTER_BINS]; /* of starts and ends, by bin */
    filter_min_good_t min_good;
} filter_seq_t;

typedef struct {
    int64_t n;
    int n_words;     /* 64-bit words per vector of a whole sequence, a multiple of 16 */
    int n_end_words; /* per vector of a start or end: half; 0 if there are no bins */
    uint64_t *whole; /* [n][n_words], aligned to 64 bytes */
    uint64_t *ends;  /* [n][2][FILTER_BINS][n_end_words], aligned to 64 bytes */
    filter_seq_t *seqs; /* [n] */
} filter_kmers_t;

/* Which sequences of a set: n from `first` on, or the listed ones. */
typedef struct {
    int64_t first, n;
    const int64_t *listed; /* [n] or NULL */
} filter_range_t;

/* What the filter compares, and how vectors are made. */
typedef struct {
    filter_goal_t goal;
    filter_bound_t bound;     /* k = 0: no vectors, only lengths are compared */
    int log_bits;             /* 2^log_bits bits per vector of a whole sequence */
    bool per_row_identity;    /* rows have demands of their own, columns have none */
    uint8_t set_of[DNA_SIZE]; /* letters match only if these intersect */
} filter_params_t;

/* Choose the size of the vectors: to suit the sequences, and to fit into bytes_max.
 *
 * @param n_rows  the first n_rows sequences are rows, the others columns; 0: all are both
 * @return log_bits */
int filter_kmers_log_bits(const seqset_t *set, int64_t n_rows, align_ends_t ends,
                          int64_t bytes_max);

/* Make the vectors of some sequences of a set. @return ST_OK or ST_ENOMEM */
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
