/*
 * class_align.h - evidence by alignment: the class of a read's best hit, and the
 * identities of its best hits inside and outside each taxon above that.
 */
#ifndef RIBOGRID_WORKER_CLASSIFY_CLASS_ALIGN_H
#define RIBOGRID_WORKER_CLASSIFY_CLASS_ALIGN_H

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

/* Takes NULL. */
void class_align_destroy(class_align_t *a);

#endif
