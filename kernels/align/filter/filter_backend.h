/*
 * filter_backend.h - what the rows of pair_filter.h fill in, and what they share.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BACKEND_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_BACKEND_H

#include "kernels/align/filter/filter_kmers.h"
#include "kernels/align/filter/pair_filter.h"

/* What CPUs and GPUs alike judge by. */
#ifdef __CUDACC__
#define FILTER_FN __host__ __device__ static inline
#else
#define FILTER_FN static inline
#endif

/* What a filter is made of; borrowed by its row. */
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
    device_kind_t kind;
    status_t (*create)(const filter_plan_t *plan, void **state);
    status_t (*submit)(void *state, const filter_rect_t *rects, int64_t n_rects);
    status_t (*wait)(void *state, filter_result_t *out);
    /* Have the rows ask for something else, while no batch is under way.
     * @param asks  [shape.n_rows] */
    status_t (*set_demands)(void *state, const filter_demand_t *demands);
    void (*destroy)(void *state);
} filter_backend_t;

extern const filter_backend_t filter_cpu_backend;
extern const filter_backend_t filter_cuda_backend;

/* @return the first column of a row that counts, or col1 */
FILTER_FN int64_t filter_first_col(bool triangle, const filter_rect_t *r, int64_t row)
{
    return triangle && row + 1 > r->col0 ? (row + 1 < r->col1 ? row + 1 : r->col1)
                                         : r->col0;
}

typedef enum {
    FILTER_BY_LENGTH,
    FILTER_BY_KMERS,
    FILTER_BY_OVERLAP,
    FILTER_PASSED
} filter_verdict_t;

/* @return whether lengths alone leave row a and column b a chance */
FILTER_FN bool filter_lengths_fit(const filter_seq_t *a, const filter_seq_t *b)
{
    return b->len >= a->row.partner_min && b->len <= a->row.partner_max &&
           a->len >= b->col.partner_min;
}

/* @return the good windows that a pair with so many shared bits can have, at most */
FILTER_FN int32_t filter_max_good(const filter_seq_t *a, const filter_seq_t *b,
                                  int32_t shared)
{
    return shared + a->dropped + b->dropped +
           (a->excess < b->excess ? a->excess : b->excess);
}

/* @return the good windows that row a and column b need, at least: what both ask, or,
 * with free ends, what the shorter does */
FILTER_FN int32_t filter_min_good(bool free_ends, const filter_seq_t *a,
                                  const filter_seq_t *b)
{
    return free_ends == (a->row.windows > b->col.windows) ? b->col.windows
                                                          : a->row.windows;
}

/* @return the good windows that a pair's ends need for bin k, or whole sequences
 * (FILTER_BINS): the shorter of the two needs no more than the other */
FILTER_FN int32_t filter_min_good_of_bin(const filter_seq_t *a, const filter_seq_t *b,
                                         int k)
{
    int32_t x = k < FILTER_BINS ? a->need.bin[k] : a->need.whole;
    int32_t y = k < FILTER_BINS ? b->need.bin[k] : b->need.whole;

    return x < y ? x : y;
}

/* What a sample of the pairs says. */
typedef struct {
    int k; /* that suits best; 0: none rules out much */
    int64_t n_pairs, n_passed;
} filter_tuned_t;

/* Choose k by what sequences share of rows and columns. @return ST_OK or ST_ENOMEM */
status_t filter_tune_k(const filter_plan_t *plan, filter_tuned_t *out) MUST_CHECK;

#endif
