/*
 * nbc_case.h - models and reads for tests of naive Bayes, and a backend's results.  No
 * cmocka: GPU tests run without it.
 */
#pragma once

#include "io/base/rng.h"
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

/* Taxa of random models: three ranks, NBC_CASE_FAN children each. */
enum {
    NBC_CASE_FAN = 11,
    NBC_CASE_TAXA = 1 + NBC_CASE_FAN + NBC_CASE_FAN * NBC_CASE_FAN * (1 + NBC_CASE_FAN)
};

/* Fill in the tree.
 * @param parent  [NBC_CASE_TAXA] */
static inline void nbc_case_tree(int32_t *parent)
{
    int32_t taxon = 0, end[3] = {1, 1 + NBC_CASE_FAN,
                                 1 + NBC_CASE_FAN + NBC_CASE_FAN * NBC_CASE_FAN};

    parent[taxon++] = -1;
    for (; taxon < end[1]; taxon++)
        parent[taxon] = 0;
    for (; taxon < end[2]; taxon++)
        parent[taxon] = end[0] + (taxon - end[1]) / NBC_CASE_FAN;
    for (; taxon < NBC_CASE_TAXA; taxon++)
        parent[taxon] = end[1] + (taxon - end[2]) / NBC_CASE_FAN;
}

/* Change a percentage of the bases of codes. @param ambiguous  some become N */
static inline void nbc_case_mutate(rng_t *rng, uint8_t *codes, int64_t len, int percent,
                                   bool ambiguous)
{
    for (int64_t i = 0; i < len; i++)
        if (rng_chance(rng, (uint64_t)percent, 100))
            codes[i] = ambiguous && rng_chance(rng, 1, 10)
                           ? CODE_N
                           : (uint8_t)(1 << rng_below(rng, 4));
}

/* Make n references that descend from one another, and the taxon of each.
 * @param taxon_of  [n] */
static inline status_t nbc_case_refs(rng_t *rng, int64_t n, int64_t len, seqset_t **out,
                                     int32_t *taxon_of)
{
    seqset_builder_t builder = {0};
    uint8_t *codes = (uint8_t *)malloc((size_t)n * (size_t)len + 1);
    status_t st = codes != NULL ? ST_OK : ST_ENOMEM;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        uint8_t *own = codes + i * len;

        if (i == 0)
            for (int64_t k = 0; k < len; k++)
                own[k] = (uint8_t)(1 << rng_below(rng, 4));
        else
            memcpy(own, codes + (int64_t)rng_below(rng, (uint64_t)i) * len, (size_t)len);
        nbc_case_mutate(rng, own, len, (int)rng_below(rng, 25), true);
        taxon_of[i] =
            rng_chance(rng, 1, 20) ? -1 : 1 + (int32_t)rng_below(rng, NBC_CASE_TAXA - 1);
        st = seqset_builder_add(&builder, "r", 1, own, (size_t)len);
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    else
        seqset_builder_free(&builder);
    free(codes);
    return st;
}

/* Make n reads: pieces of references with errors, in either orientation, of up to
 * len_max bases; one in eight has at most 20. */
static inline status_t nbc_case_reads(rng_t *rng, const seqset_t *refs, int64_t n,
                                      int64_t len_max, seqset_t **out)
{
    seqset_builder_t builder = {0};
    uint8_t *codes = (uint8_t *)malloc((size_t)len_max + 1);
    status_t st = codes != NULL ? ST_OK : ST_ENOMEM;

    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const int64_t ref = (int64_t)rng_below(rng, (uint64_t)refs->n),
                      max = seqset_len(refs, ref) < len_max ? seqset_len(refs, ref)
                                                            : len_max,
                      len = (int64_t)rng_below(rng, i % 8 == 7 ? 20 : (uint64_t)max) + 1,
                      at = (int64_t)rng_below(rng, (uint64_t)(seqset_len(refs, ref) -
                                                              len + 1));

        memcpy(codes, seqset_letters(refs, ref) + at, (size_t)len);
        nbc_case_mutate(rng, codes, len, (int)rng_below(rng, 10), i % 3 == 0);
        for (int64_t a = 0, b = len - 1; i % 2 == 0 && a <= b; a++, b--) {
            const uint8_t code = alphabet_complement(codes[a]);

            codes[a] = alphabet_complement(codes[b]);
            codes[b] = code;
        }
        st = seqset_builder_add(&builder, "x", 1, codes, (size_t)len);
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, out);
    else
        seqset_builder_free(&builder);
    free(codes);
    return st;
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
