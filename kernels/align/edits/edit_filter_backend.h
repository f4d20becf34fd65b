/*
 * edit_filter_backend.h - what the rows of edit_filter.h fill in.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_BACKEND_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_EDIT_FILTER_BACKEND_H

#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/edits/edit_filter_bound.h"

/* What a row is made of; borrowed by it. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
    const align_spec_t *spec;
    align_run_t run;
    edit_filter_bound_t bound;
} edit_filter_plan_t;

typedef struct {
    device_kind_t kind;
    status_t (*create)(const edit_filter_plan_t *plan, void **state);
    /* Pairs whose sequences are longer than the row takes are kept. */
    status_t (*run)(void *state, const pair_batch_t *batch, uint8_t *keep);
    void (*destroy)(void *state);
} edit_filter_backend_t;

extern const edit_filter_backend_t edit_filter_cpu_backend;
extern const edit_filter_backend_t edit_filter_cuda_backend;

#endif
