/*
 * filter_backend.h - what the backends of pair_filter.h implement, and the decisions that
 * all of them share.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/align/filter/filter_bound.h"
#include "kernels/align/filter/pair_filter.h"
#include "kernels/device/device.h"

/* Functions for CPUs and GPUs. */
#ifdef __CUDACC__
#define FILTER_FN __host__ __device__ static inline
#else
#define FILTER_FN static inline
#endif

/* filter_kmers.c: bit vectors of the k-mers of sequences; the popcount of two vectors'
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
 * filter_vectors.cu makes the same vectors on a GPU.
 */

enum { FILTER_WINDOW_KMERS_MAX = 16, FILTER_LOG_MIN = 10, FILTER_LOG_MAX = 16 };

/* What is known of a sequence, except its vectors. */
typedef struct {
    int32_t len;
    filter_demand_t row, col; /* as the row (query) of a pair, and as its column */
    int32_t n_end_windows[FILTER_BINS]; /* of the start and of the end, by bin */
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

/* @return the bit of a k-mer in a vector of 2^log_bits bits; each k-mer has its own if
 *         there are enough */
FILTER_FN uint32_t filter_kmer_bit(uint32_t kmer, int k, int log_bits)
{
    uint64_t hash = kmer * UINT64_C(0x9e3779b97f4a7c15);

    if (2 * k <= log_bits)
        return kmer;
    hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> (64 - log_bits));
}

/* @return what is known of a sequence of len bases without its k-mers */
filter_seq_t filter_kmers_describe(const filter_params_t *params, int64_t len);

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

/* What a filter works on and how; borrowed by the backend. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
    const align_scoring_t *scoring;
    const int *cancel; /* may be NULL */
    filter_params_t params;
    filter_shape_t shape;
} filter_plan_t;

typedef struct {
    const pair_t *pairs;
    const int64_t *rect_start;
    filter_counts_t counts;
} filter_result_t;

typedef struct {
    backend_t base;
    status_t (*create)(const filter_plan_t *plan, void **state);
    status_t (*submit)(void *state, const filter_rect_t *rects, int64_t n_rects);
    status_t (*wait)(void *state, filter_result_t *out);
    /* Replace the rows' demands. No batch is in flight.
     *
     * @param demands  [shape.n_rows] */
    status_t (*set_demands)(void *state, const filter_demand_t *demands);
    void (*destroy)(void *state);
} filter_backend_t;

extern const filter_backend_t filter_cpu_backend;
extern const filter_backend_t filter_cuda_backend;

/* @return the first column of a rectangle's row that belongs to a pair, or col1 */
FILTER_FN int64_t filter_first_col(bool triangle, const filter_rect_t *r, int64_t row)
{
    return triangle && row + 1 > r->col0 ? (row + 1 < r->col1 ? row + 1 : r->col1)
                                         : r->col0;
}

/* What the filter decides on a pair: the stage that rules it out, or that it passes. */
typedef enum {
    FILTER_BY_LENGTH,
    FILTER_BY_KMERS,
    FILTER_BY_OVERLAP,
    FILTER_PASSED
} filter_verdict_t;

/* @return whether the lengths of row a and column b allow a pair to pass */
FILTER_FN bool filter_lengths_fit(const filter_seq_t *a, const filter_seq_t *b)
{
    return b->len >= a->row.partner_min && b->len <= a->row.partner_max &&
           a->len >= b->col.partner_min;
}

/* @return the maximum good windows of a pair whose whole vectors have `shared` bits in
 *         common */
FILTER_FN int32_t filter_max_good(const filter_seq_t *a, const filter_seq_t *b,
                                  int32_t shared)
{
    return shared + a->dropped + b->dropped +
           (a->excess < b->excess ? a->excess : b->excess);
}

/* @return the minimum good windows of row a and column b: the greater of both demands,
 *         or, with free ends, that of the shorter sequence, which is the smaller one */
FILTER_FN int32_t filter_min_good(bool free_ends, const filter_seq_t *a,
                                  const filter_seq_t *b)
{
    return free_ends == (a->row.min_good > b->col.min_good) ? b->col.min_good
                                                            : a->row.min_good;
}

/* @return the minimum good windows for dovetails of a bin, or for all other alignments
 *         (bin = FILTER_BINS): that of the shorter sequence, which is the smaller one */
FILTER_FN int32_t filter_min_good_of_bin(const filter_seq_t *a, const filter_seq_t *b,
                                         int bin)
{
    int32_t x = bin < FILTER_BINS ? a->min_good.bin[bin] : a->min_good.whole;
    int32_t y = bin < FILTER_BINS ? b->min_good.bin[bin] : b->min_good.whole;

    return x < y ? x : y;
}

/* What a sample of the pairs shows. */
typedef struct {
    int k; /* the best k; 0: no k rules out enough */
    int64_t n_pairs, n_passed;
} filter_tuned_t;

/* Choose k with a sample of the set's rows and columns. @return ST_OK or ST_ENOMEM */
status_t filter_tune_k(const filter_plan_t *plan, filter_tuned_t *out) MUST_CHECK;

/* filter_popcount.c: how many bits the vectors of many rows have in common with those of
 * many columns.
 *
 * There is one function per vector level; which one runs is chosen at run time. */

/* Vectors, aligned to 64 bytes; `stride` words from one to the next. */
typedef struct {
    const uint64_t *at;
    int64_t stride;
    int n;
} filter_vectors_t;

/*
 * Count common bits.
 *
 * @param n_words  words per vector, a multiple of 8
 * @param shared   [rows.n][cols.n] out
 */
typedef void (*filter_popcount_t)(filter_vectors_t rows, filter_vectors_t cols,
                                  int n_words, int32_t *shared);

void filter_popcount_avx2(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                          int32_t *shared);
/* Needs AVX-512 F and VPOPCNTDQ. */
void filter_popcount_avx512(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                            int32_t *shared);

/* @return the widest function that a CPU of this level can run */
filter_popcount_t filter_popcount_of(simd_level_t level);

/* filter_cpu.c: the last stage for one pair, with a CPU's popcount. */

/*
 * Test the ends of a pair that lengths and whole sequences do not rule out.
 *
 * @param good  filter_max_good of the pair
 * @return FILTER_BY_OVERLAP or FILTER_PASSED
 */
filter_verdict_t filter_cpu_ends(const filter_kmers_t *kmers, filter_popcount_t popcount,
                                 int64_t a, int64_t b, int32_t good);
