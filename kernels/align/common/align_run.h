/*
 * align_run.h - how alignments are computed in one run; no result depends on it.
 *
 * What an alignment is, hence what the results are, is in align_spec.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    bool band;            /* cells that provably cannot matter may be skipped */
    const int *cancel;    /* may be NULL; once it is not 0, kernels may return early */
    int64_t device_bytes; /* device memory for batches; 0: 75 % of what is free */
    bool in_windows;      /* a GPU has only the sequences of the batches in flight */
    /* for benchmarks */
    bool pageable; /* copy from and to pageable memory instead of pinned memory */
    int n_buffers; /* batches in flight; 0: ALIGNER_DEPTH */
} align_run_t;

/* @param cancel  as in align_run_t */
static inline bool align_cancelled(const int *cancel)
{
    return cancel != NULL && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}
