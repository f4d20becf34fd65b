/*
 * edits_row.h - what the rows of pair_edits.h fill in.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_EDITS_ROW_H
#define RIBOGRID_KERNELS_ALIGN_EDITS_ROW_H

#include "kernels/align/edits_bound.h"
#include "kernels/align/pair_edits.h"

/* What a row is made of; borrowed by it. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
    const align_spec_t *spec;
    edits_bound_t bound;
} edits_plan_t;

typedef struct {
    device_kind_t kind;
    status_t (*create)(const edits_plan_t *plan, void **state);
    /* Pairs whose sequences are longer than the row takes are kept. */
    status_t (*run)(void *state, const pair_batch_t *batch, uint8_t *keep);
    void (*destroy)(void *state);
} edits_row_t;

extern const edits_row_t edits_cpu_row;
extern const edits_row_t edits_cuda_row;

#endif
