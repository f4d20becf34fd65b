/*
 * nbc_case.h - a model and a backend on it, for tests of naive Bayes.  No cmocka: GPU
 * tests run without it.
 */
#ifndef RIBOGRID_TESTS_KERNELS_CLASSIFY_NBC_CASE_H
#define RIBOGRID_TESTS_KERNELS_CLASSIFY_NBC_CASE_H

#include "kernels/classify/nbc_backend.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const seqset_t *refs;
    int32_t *class_of;
    nbc_classes_t classes;
    nbc_model_t *model;
} nbc_case_t;

/* Make a model. @param refs  borrowed; the other arguments as in nbc_classes_create */
static inline status_t nbc_case_create(const seqset_t *refs, const int32_t *parent,
                                       int32_t n_taxa, const int32_t *taxon_of,
                                       pool_t *pool, nbc_case_t *out)
{
    status_t st = ST_ENOMEM;

    *out = (nbc_case_t){.refs = refs,
                        .class_of =
                            (int32_t *)malloc(((size_t)refs->n + 1) * sizeof(int32_t))};
    if (out->class_of != NULL)
        st = nbc_classes_create(parent, n_taxa, taxon_of, refs->n, &out->classes,
                                out->class_of);
    if (st == ST_OK)
        st = nbc_model_create(refs, out->class_of, &out->classes, pool, &out->model);
    return st;
}

static inline void nbc_case_free(nbc_case_t *c)
{
    nbc_model_destroy(c->model);
    nbc_classes_free(&c->classes);
    free(c->class_of);
}

/* Classify all reads of a set in one batch. @param out  the caller frees it */
static inline status_t nbc_case_run(const nbc_backend_t *backend,
                                    const nbc_context_t *context, const seqset_t *reads,
                                    nbc_results_t *out)
{
    const int n_ranks = context->model->classes->n_ranks;
    const size_t n = (size_t)reads->n, n_cells = n * (size_t)n_ranks;
    const nbc_batch_t batch = {reads, 0, reads->n};
    nbc_results_t results, copy = {0};
    void *state = NULL;
    status_t st = backend->create(context, &state);

    if (st == ST_OK)
        st = backend->submit(state, &batch);
    if (st == ST_OK)
        st = backend->wait(state, &results);
    if (st == ST_OK)
        st = nbc_results_create(reads->n, n_ranks, &copy);
    if (st == ST_OK) {
        memcpy(copy.best, results.best, n * sizeof(*copy.best));
        memcpy(copy.support, results.support, n_cells * sizeof(*copy.support));
        memcpy(copy.rival, results.rival, n_cells * sizeof(*copy.rival));
        *out = copy;
    }
    if (state != NULL)
        backend->destroy(state);
    return st;
}

/* @return the first read whose results differ, or -1 */
static inline int64_t nbc_case_compare(const nbc_results_t *a, const nbc_results_t *b,
                                       int64_t n, int n_ranks)
{
    for (int64_t i = 0; i < n; i++) {
        if (a->best[i].class_number != b->best[i].class_number ||
            a->best[i].n_words != b->best[i].n_words ||
            a->best[i].cost != b->best[i].cost ||
            a->best[i].reversed != b->best[i].reversed)
            return i;
        for (int64_t k = i * n_ranks; k < (i + 1) * n_ranks; k++)
            if (a->support[k] != b->support[k] || a->rival[k] != b->rival[k])
                return i;
    }
    return -1;
}

#endif
