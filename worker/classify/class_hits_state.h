/*
 * class_hits_state.h - the state of class_hits.h, which its files share.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_STATE_H
#define RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_STATE_H

#include "io/base/buf.h"
#include "kernels/align/engine/aligner.h"
#include "worker/classify/class_hits.h"

/* A pair to be aligned, for one of the queries. */
typedef struct {
    pair_t pair;
    int32_t query;
} class_pair_t;

typedef struct {
    class_hit_t hit;
    int32_t query;
} class_found_t;

struct class_hits {
    class_hits_context_t context;
    align_spec_t spec;
    aligner_t *aligner;
    int64_t *class_first;       /* [n_classes + 1] positions in members */
    int32_t *members;           /* references sorted by class */
    buf_t wanted;               /* class_pair_t still to be aligned */
    buf_t pairs[ALIGNER_DEPTH]; /* pair_t of the batches in flight */
    buf_t found;                /* class_found_t */
    buf_t first, hits;          /* of the results */
};

/* @return what aligners and filters are created for; temporary */
align_context_t class_hits_align_context(const class_hits_t *h);

/* @return whether a query may have hits with a reference */
bool class_hits_may_have(const class_hits_t *h, const class_query_t *q, int32_t ref);

/* Append the pairs of a query with its candidates to h->wanted. */
status_t class_hits_want_candidates(class_hits_t *h, const class_query_t *queries,
                                    int32_t query) MUST_CHECK;

/* Align all of h->wanted, and append the hits to h->found; h->wanted is empty then. */
status_t class_hits_align(class_hits_t *h) MUST_CHECK;

/* Sort h->found into results for n queries; h->found stays. */
status_t class_hits_sort(class_hits_t *h, int64_t n,
                         class_hits_results_t *out) MUST_CHECK;

/* @return more than 0 if a is better than b, 0 if they tie */
static inline int class_hits_compare(const class_hit_t *a, const class_hit_t *b)
{
    const int64_t left = (int64_t)a->matches * b->columns;
    const int64_t right = (int64_t)b->matches * a->columns;

    if (left != right)
        return left > right ? 1 : -1;
    return (a->matches > b->matches) - (a->matches < b->matches);
}

#endif
