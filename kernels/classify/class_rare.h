/*
 * class_rare.h - which references share the rare words of a read.
 *
 * A word is rare if at most CLASS_RARE_REFS references have it.  Words of conserved
 * regions are in nearly all 16S genes; rare ones tell a read's own genus from one that is
 * merely the closest of those that are known.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_CLASS_RARE_H
#define RIBOGRID_KERNELS_CLASSIFY_CLASS_RARE_H

#include "kernels/classify/nbc_model.h"

enum {
    CLASS_RARE_REFS = 512,
    /* Maximum number of references of a word that are listed: what remains of them may
     * be rare where a large taxon is left out.  All lists take 4 bytes per reference and
     * such word: 51 MB for RDP's training set 18, at most 537 MB. */
    CLASS_RARE_LISTED = 2048
};

typedef struct {
    const nbc_model_t *model; /* borrowed */
    int64_t *first;           /* [NBC_N_WORDS + 1] */
    int32_t *refs; /* those with word w are refs[first[w]] .. refs[first[w + 1] - 1], in
                    * any order; none of words that are not listed */
} class_rare_t;

/* @param pool  NULL: the caller alone
 * @param out   the caller's; freed by class_rare_free
 * @return ST_OK or ST_ENOMEM */
status_t class_rare_create(const nbc_model_t *model, pool_t *pool,
                           class_rare_t *out) MUST_CHECK;

void class_rare_free(class_rare_t *r);

/* A read and the references that are to be treated as absent. */
typedef struct {
    const uint16_t *words; /* [n_words] in the orientation of its best class */
    int32_t n_words;
    int32_t best;           /* class */
    const int32_t *removed; /* [n_removed] */
    int64_t n_removed;
} class_rare_read_t;

/*
 * For each taxon in the lineage of the best class: find the maximum fraction of the
 * read's rare words that a reference of the taxon has, less that of other references.
 *
 * @param n_shared  [model->refs->n] zeros, before and after
 * @param lead      [n_ranks] -1 .. 1; 0 below the end of the lineage, and everywhere if
 * no word is rare
 */
void class_rare_lead(const class_rare_t *r, const class_rare_read_t *read,
                     uint16_t *n_shared, double *lead);

#endif
