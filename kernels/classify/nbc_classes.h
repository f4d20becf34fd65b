/*
 * nbc_classes.h - the classes of a classifier: the distinct lowest taxa of its
 * references.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_CLASSES_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_CLASSES_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct {
    int32_t n;
    int n_ranks;      /* of the longest lineage */
    int32_t *taxon;   /* [n] the taxon of each class, ascending */
    int32_t *lineage; /* [n_ranks][n] its ancestor of rank r + 1, or the taxon itself; -1:
                       * the lineage is shorter */
} nbc_classes_t;

/* @return the taxon of a class at a rank, counted from 1; -1: its lineage is shorter */
static inline int32_t nbc_classes_at(const nbc_classes_t *c, int32_t class_number,
                                     int rank)
{
    return c->lineage[(int64_t)(rank - 1) * c->n + class_number];
}

/*
 * Number the lowest taxa of references.
 *
 * @param parent    [n_taxa] of each taxon: less than its own number; -1 for the root,
 *                  which is taxon 0
 * @param taxon_of  [n_refs] the lowest taxon of each reference; -1: it has no class
 * @param out       the caller's; freed by nbc_classes_free
 * @param class_of  [n_refs] the class of each reference, or -1
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_classes_create(const int32_t *parent, int32_t n_taxa,
                            const int32_t *taxon_of, int64_t n_refs, nbc_classes_t *out,
                            int32_t *class_of) MUST_CHECK;

void nbc_classes_free(nbc_classes_t *c);

#endif
