/*
 * nbc_model.h - what naive Bayes knows of its references: how many contain each word, in
 * all and per class.
 *
 * Counts are derived from the sequences whenever a model is opened.  They take 8 bytes
 * per word and class that has it: 49 MB for the 21,000 references and 3,240 classes of
 * RDP's training set 18, some 500 MB for 500,000 references and 10,000 classes, at most 8
 * bytes per position of the references.  Counting takes 0.5 MB per thread and 32 MB more.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_MODEL_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_MODEL_H

#include "io/base/pool.h"
#include "io/seq/seqset.h"
#include "kernels/classify/nbc_classes.h"
#include "kernels/classify/nbc_words.h"

typedef struct {
    int32_t class_number;
    int32_t n_refs; /* m(w): of this class with this word, more than 0 */
} nbc_count_t;

typedef struct {
    const seqset_t *refs;         /* borrowed */
    const int32_t *class_of;      /* [refs->n] borrowed; -1: left out */
    const nbc_classes_t *classes; /* borrowed */
    int64_t n_refs;               /* N, without those left out */
    int32_t *class_refs;          /* [classes->n] M; a class may have none */
    int64_t *class_first;         /* [classes->n + 1] */
    int32_t *members;    /* the references of class c are members[class_first[c]] ..
                          * members[class_first[c + 1] - 1] */
    int32_t *word_refs;  /* [NBC_N_WORDS] n(w) */
    int64_t *word_first; /* [NBC_N_WORDS + 1] */
    nbc_count_t *counts; /* those of word w are word_first[w] .. word_first[w + 1] - 1,
                          * classes ascending */
} nbc_model_t;

/*
 * Count the words of references.
 *
 * @param class_of  [refs->n] the class of each, or -1 to leave it out
 * @param pool      NULL: the caller alone
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_model_create(const seqset_t *refs, const int32_t *class_of,
                          const nbc_classes_t *classes, pool_t *pool,
                          nbc_model_t **out) MUST_CHECK;

/* Takes NULL. */
void nbc_model_destroy(nbc_model_t *m);

#endif
