/*
 * edit_filter_backend.h - what the backends of edit_filter.h implement.
 */
#pragma once

#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/edits/edit_filter_bound.h"

/* What a backend works on; borrowed by it. */
typedef struct {
    align_context_t context;
    edit_filter_bound_t bound;
} edit_filter_plan_t;

typedef struct {
    backend_t base;
    align_support_t supports; /* for other alignments the backend is not created, and all
                               * pairs pass */
    status_t (*create)(const edit_filter_plan_t *plan, void **state);
    /* Pairs with a sequence that is too long for the backend are kept. */
    status_t (*run)(void *state, const pair_batch_t *batch, uint8_t *keep);
    void (*destroy)(void *state);
} edit_filter_backend_t;

extern const edit_filter_backend_t edit_filter_cpu_backend;
extern const edit_filter_backend_t edit_filter_cuda_backend;
