/*
 * class_hits.h - the hits of reads among the references of a classifier, by exact
 * alignment.
 *
 * A hit is the canonical alignment (align_spec.h) of a read with a reference, with the
 * scores that `align` has by default (match 4, mismatch -5, gap -7; N matches nothing).
 * Its identity is matches / columns, by the ends that the caller chooses:
 *   - ENDS_QUERY, for amplicons: bases of the read beyond the ends of the reference are
 *     columns, those of the reference beyond the ends of the read are not;
 *   - ENDS_FREE, for whole genes: no end gap is a column; at least half of the shorter
 *     sequence has to be aligned.
 * A hit is better than another if its identity is higher, or equal with more matches.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_H
#define RIBOGRID_WORKER_CLASSIFY_CLASS_HITS_H

#include "kernels/align/common/align_context.h"
#include "kernels/classify/nbc_classes.h"

typedef struct class_hits class_hits_t;

/* What hits are looked for in.  The struct itself may be temporary; what its pointers
 * lead to is borrowed until destroy. */
typedef struct {
    const device_t *device;
    pool_t *pool;            /* NULL: the caller alone */
    const seqset_t *set;     /* of DNA: reads in any orientation, then references, as
                              * seqset_join makes it */
    int64_t first_ref;       /* index of the first reference in the set */
    const int32_t *class_of; /* [set->n - first_ref] the class of each reference; -1: it
                              * has no hits */
    int32_t n_classes;
    align_ends_t ends; /* ENDS_QUERY or ENDS_FREE */
    align_run_t run;
    /* for class_hits_find */
    int64_t n_best;          /* hits wanted per query, at least 1 */
    fraction_t min_identity; /* of a hit; a denominator of 0: none is too low */
} class_hits_context_t;

typedef struct {
    int32_t row;            /* of the set: the read, in the orientation to be aligned */
    const int32_t *classes; /* [n_classes] candidates, all different */
    int32_t n_classes;
    const int32_t *removed; /* [n_removed] references, counted from 0, ascending: they are
                             * treated as if they had never been there */
    int64_t n_removed;
} class_query_t;

typedef struct {
    int32_t ref; /* counted from 0 */
    int32_t class_number;
    int32_t matches, columns; /* columns > 0 */
} class_hit_t;

/* Query q has the hits first[q] .. first[q + 1] - 1, the best first; ties are in the
 * order of the references. */
typedef struct {
    int64_t *first; /* [n + 1] */
    class_hit_t *hits;
} class_hits_results_t;

/* @return ENDS_QUERY if the median read is shorter than four fifths of the median
 *         reference, else ENDS_FREE */
align_ends_t class_hits_ends(const seqset_t *set, int64_t first_ref);

/* @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
status_t class_hits_create(const class_hits_context_t *context,
                           class_hits_t **out) MUST_CHECK;

/*
 * Align reads with all references of their candidate classes.
 *
 * @param queries  [n]
 * @param out      all hits, valid until the next call
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST; ST_ESTOPPED once the run is
 * cancelled; after an error only destroy may follow
 */
status_t class_hits_among(class_hits_t *h, const class_query_t *queries, int64_t n,
                          class_hits_results_t *out) MUST_CHECK;

/*
 * Find the best hits of reads among all references.
 *
 * No hit is missed: references are left out only if filters prove that their hits are
 * worse than those found.  Good candidates save time; no result depends on them.
 *
 * @param queries  [n] as above.  Many at a time are faster: each call takes some
 *                 nanoseconds per sequence of the set
 * @param out      the hits that are at least as good as the n_best-th best and as the
 *                 best outside the class of the best; all hits if one of these does not
 *                 exist.  Valid until the next call
 */
status_t class_hits_find(class_hits_t *h, const class_query_t *queries, int64_t n,
                         class_hits_results_t *out) MUST_CHECK;

/* @return how many of the n hits of a query are at least as good as the n_best-th; n if
 *         there are fewer */
int64_t class_hits_top(const class_hit_t *hits, int64_t n, int64_t n_best);

/* The best hits inside a taxon and outside, or NULL. */
typedef struct {
    const class_hit_t *own, *rival;
} class_hits_rivals_t;

/*
 * Find the best hit of a query with references of a taxon and the best with others.
 *
 * @param hits          [n] of the query
 * @param class_number  a class of the taxon
 * @param rank          of the taxon, counted from 1
 */
class_hits_rivals_t class_hits_rivals(const nbc_classes_t *classes,
                                      const class_hit_t *hits, int64_t n,
                                      int32_t class_number, int rank);

/* @return matches / columns; 0 for NULL */
static inline double class_hit_identity(const class_hit_t *hit)
{
    return hit != NULL ? (double)hit->matches / hit->columns : 0;
}

/* Takes NULL. */
void class_hits_destroy(class_hits_t *h);

#endif
