/*
 * class_hits_state.h - the state of class_hits.h, which its files share.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_STATE_H
#define RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_STATE_H

#include "io/base/buf.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/align/filter/pair_filter.h"
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

/* Identities that edit filters are created for. */
enum { CLASS_HITS_LEVELS = 3 };

/* What class_hits_find needs besides. */
typedef struct {
    pair_filter_t *filter;                   /* NULL: not created yet */
    edit_filter_t *edits[CLASS_HITS_LEVELS]; /* likewise */
    int64_t piece_pairs;                     /* filtered at a time */
    fraction_t *identities; /* [first_ref] that the filter's rows require */
    buf_t bounds;           /* fraction_t that further hits of each query have to reach */
    buf_t rows;             /* class_row_t of the queries, by row */
    buf_t rects;            /* filter_rect_t */
    buf_t keep;             /* uint8_t per pair */
} class_search_t;

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
    class_search_t search;
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

void class_hits_search_free(class_search_t *s);

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
