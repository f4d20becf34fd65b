/*
 * nbc_backend.h - the interface of the naive Bayes kernels: batches of reads in, classes
 * with their support out.
 *
 * Every backend returns the same integers as nbc_reference.c, which follows the
 * definition in nbc_spec.h.
 */
#pragma once

#include "kernels/classify/nbc_model.h"
#include "kernels/classify/nbc_spec.h"
#include "kernels/device/backend.h"

/* The struct itself may be temporary; what its pointers lead to is borrowed until the
 * backend is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    const nbc_model_t *model;
    nbc_options_t options;
} nbc_context_t;

/* Reads first .. first + n - 1 of a set of DNA. */
typedef struct {
    const seqset_t *reads;
    int64_t first, n;
} nbc_batch_t;

/* What naive Bayes finds out about a read. */
typedef struct {
    int32_t class_number; /* the best class of all words; -1: the read has no words, or
                           * no class has references */
    int32_t n_words;      /* distinct words of the read */
    int32_t cost;         /* of the class; NBC_COST_NONE without one */
    bool reversed;        /* the read was classified as its reverse complement */
} nbc_best_t;

/* Element r of a read's row stands for rank r + 1, n_ranks those of the classes.  Ranks
 * that the lineage of the best class does not have get 0 and NBC_COST_NONE. */
typedef struct {
    nbc_best_t *best;  /* [n] */
    uint16_t *support; /* [n][n_ranks] of the taxon of this rank above the best class */
    int32_t *rival;    /* [n][n_ranks] minimum cost, for all words, of the classes outside
                        * that taxon; NBC_COST_NONE: there are none */
} nbc_results_t;

/* Allocate results of n reads. @return ST_OK or ST_ENOMEM; the caller frees them */
status_t nbc_results_create(int64_t n, int n_ranks, nbc_results_t *out) MUST_CHECK;

void nbc_results_free(nbc_results_t *r);

/* Maximum number of batches in flight. */
enum { NBC_DEPTH = 2 };

typedef struct {
    backend_t base; /* rate: bases times classes */

    /* @return whether it can classify by this model: whether it fits the device */
    bool (*takes)(const nbc_context_t *context);

    /* @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST */
    status_t (*create)(const nbc_context_t *context, void **state);

    /* Begin a batch, which is borrowed until wait returns; at most NBC_DEPTH may be in
     * flight. */
    status_t (*submit)(void *state, const nbc_batch_t *batch);

    /* Finish the oldest batch; the results are valid until the next submit or wait. */
    status_t (*wait)(void *state, nbc_results_t *out);

    void (*destroy)(void *state);
} nbc_backend_t;

/* nbc_spec.h in plain double precision, one read after the other: all others return the
 * same integers. */
extern const nbc_backend_t nbc_reference_backend;

/* Rows of gains added up by AVX-512, AVX2, SSE2 or NEON, on the threads of a pool. */
extern const nbc_backend_t nbc_cpu_backend;

extern const nbc_backend_t nbc_cuda_backend;
