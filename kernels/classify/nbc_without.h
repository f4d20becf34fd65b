/*
 * nbc_without.h - classifies reads as if some references had never been there, as
 * training and evaluation need it.
 *
 * The results are those of a model that is built without these references; classes that
 * lose all of theirs are never best.  One read takes some milliseconds.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_WITHOUT_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_WITHOUT_H

#include "kernels/classify/nbc_backend.h"

/* For one thread. */
typedef struct nbc_without nbc_without_t;

/* @param context  what its pointers lead to is borrowed until destroy; the pool is not
 *                 used
 * @return ST_OK or ST_ENOMEM */
status_t nbc_without_create(const nbc_context_t *context, nbc_without_t **out) MUST_CHECK;

/*
 * Classify one read.
 *
 * @param read     of a set of DNA
 * @param removed  [n_removed] different references; those without a class are ignored
 * @param out      of one read, valid until the next call
 * @return ST_OK or ST_ENOMEM
 */
status_t nbc_without_classify(nbc_without_t *s, const seqset_t *reads, int64_t read,
                              const int32_t *removed, int64_t n_removed,
                              nbc_results_t *out) MUST_CHECK;

/* Takes NULL. */
void nbc_without_destroy(nbc_without_t *s);

#endif
