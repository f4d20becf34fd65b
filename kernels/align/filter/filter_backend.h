/*
 * filter_backend.h - what the backends of pair_filter.h implement, and the decisions that
 * all of them share.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BACKEND_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BACKEND_H

#include "kernels/align/filter/filter_kmers.h"
#include "kernels/align/filter/pair_filter.h"

/* Functions for CPUs and GPUs. */
#ifdef __CUDACC__
#define FILTER_FN __host__ __device__ static inline
#else
#define FILTER_FN static inline
#endif

/* What a filter works on and how; borrowed by the backend. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
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

#endif
