/*
 * nbc_backend.h - the interface of the naive Bayes kernels: batches of reads in, classes
 * with their support out.
 *
 * Every backend returns the same integers as nbc_reference.c, which follows the
 * definition in nbc_spec.h.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_BACKEND_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_BACKEND_H

#include "kernels/classify/nbc_model.h"
#include "kernels/classify/nbc_results.h"
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

#endif
