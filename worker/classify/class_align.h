/*
 * class_align.h - evidence by alignment: the class of a read's best hit, and the
 * identities of its best hits inside and outside each taxon above that.
 *
 * A hit is the canonical alignment (align_spec.h) of a read with a reference, with the
 * scores that `align` has by default (match 4, mismatch -5, gap -7; N matches nothing).
 * Its identity is matches / columns:
 *   - ENDS_QUERY, for amplicons: bases of the read beyond the ends of the reference are
 *     columns, those of the reference beyond the ends of the read are not;
 *   - ENDS_FREE, for whole genes: no end gap is a column; at least half of the shorter
 *     sequence has to be aligned.
 */
#pragma once

#include "kernels/align/search/search.h"
#include "kernels/classify/class_case.h"

/* The struct itself may be temporary; what its pointers lead to is borrowed until
 * destroy. */
typedef struct {
    const device_t *device;
    pool_t *pool;                    /* NULL: the caller alone */
    const class_statistics_t *known; /* of the model */
    const seqset_t *reads;
    bool both_strands;
    const int *cancel;
} class_align_context_t;

typedef struct class_align class_align_t;

typedef struct {
    int64_t read;
    bool reversed;     /* which strand to align */
    int32_t candidate; /* a class where good hits are likely; -1: no hit is looked for */
    const int32_t *removed; /* [n_removed] references, ascending: they are treated as if
                             * they had never been there */
    int64_t n_removed;
} class_align_query_t;

/* @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
status_t class_align_create(const class_align_context_t *context,
                            class_align_t **out) MUST_CHECK;

/*
 * Find the best hits of reads.
 *
 * @param queries   [n]
 * @param found     [n] the class of the best hit, of several the first reference's; -1:
 *                  there is no hit
 * @param evidence  [n][n_ranks] of its lineage, for CLASS_ALIGN
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST; ST_ESTOPPED once the run is cancelled
 */
status_t class_align_find(class_align_t *a, const class_align_query_t *queries, int64_t n,
                          int32_t *found, class_evidence_t *evidence) MUST_CHECK;

/*
 * Find the best hits of cases, and label them.
 *
 * @param reads       [n] the read of each case; NULL: those that the cases name
 * @param candidates  [n] as of queries
 * @param found       [n] as above
 * @param examples    [n][n_ranks] as of class_case_run
 * @return as class_align_find
 */
status_t class_align_cases(class_align_t *a, const class_case_t *cases,
                           const int64_t *reads, int64_t n, const int32_t *candidates,
                           int32_t *found, class_example_t *examples) MUST_CHECK;

/* @return ENDS_QUERY if the median read is shorter than four fifths of the median
 *         reference, else ENDS_FREE */
align_ends_t class_align_ends(const seqset_t *set, int64_t first_ref);

/* The best hits inside a taxon and outside, or NULL. */
typedef struct {
    const pairs_hit_t *own, *rival;
} class_rivals_t;

/* @return matches / columns; 0 for NULL */
static inline double class_rival_identity(const pairs_hit_t *hit)
{
    return hit != NULL ? (double)hit->matches / hit->columns : 0;
}

/*
 * Find the best hit of a read with references of a taxon and the best with others.
 *
 * @param hits          [n] of the read, the best first
 * @param first_ref     index of the first reference
 * @param class_number  a class of the taxon
 * @param rank          of the taxon, counted from 1
 */
class_rivals_t class_align_rivals(const nbc_model_t *model, const pairs_hit_t *hits,
                                  int64_t n, int64_t first_ref, int32_t class_number,
                                  int rank);

/* Takes NULL. */
void class_align_destroy(class_align_t *a);
