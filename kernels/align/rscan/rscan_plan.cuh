/*
 * rscan_plan.cuh - puts the pairs of a round into the order in which warps take them.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_PLAN_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_PLAN_CUH

#include "kernels/align/rscan/rscan_layout.cuh"

/* What decides on a pair's kind and shape. */
struct rscan_plan_args_t {
    cuda_set_t set;
    const unsigned char *has_ambiguity;
    const pair_t *pairs;
    const int *edits, *score; /* [n]; widened: the scores that were found */
    edit_costs_t costs;
    int match_score;
    bool scores;            /* the round wants scores alone */
    bool exact;             /* or what leaves no doubt */
    bool banded;            /* widths are guessed and count ... */
    bool widened;           /* ... or have been proved */
    int limit[RSCAN_KINDS]; /* letters */
    bool query_rows;        /* rows are the query's letters, whatever the two are */
};

/* Device memory of a plan, for n pairs. */
struct rscan_plan_t {
    unsigned *keys[2], *values[2];
    void *sorting;
    size_t sorting_bytes;
};

/* @return bytes of a plan's memory */
size_t rscan_plan_bytes(int64_t n);

/* Lay a plan out in rscan_plan_bytes of device memory. */
rscan_plan_t rscan_plan_at(void *memory, int64_t n);

/* Enqueue: sort n of values[0] by keys[0], the greatest first. @param order  becomes them
 */
status_t rscan_plan_sort(const rscan_plan_t &plan, int64_t n, cudaStream_t stream,
                         const unsigned **order);

/*
 * Order pairs: by kind, and alike shapes together, the largest first.
 *
 * @param list      [n] pairs of the batch, of which *n_listed count; NULL: all
 * @param guess     [n] where it leaves the widths, if there are bands
 * @param n_banded  where it adds how many have one
 * @param n_of_kind [RSCAN_KINDS] zeroed; filled
 * @param order     becomes the order
 */
status_t rscan_plan(const rscan_plan_t &plan, const rscan_plan_args_t &shape, int64_t n,
                    const unsigned *list, const int *n_listed, short *band_w,
                    unsigned long long *n_banded, int *n_of_kind, cudaStream_t stream,
                    const unsigned **order);

#endif
