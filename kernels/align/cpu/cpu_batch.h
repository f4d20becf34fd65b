/*
 * cpu_batch.h - what the CPU backends share: a batch and its results.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_CPU_BATCH_H
#define RIBOGRID_KERNELS_ALIGN_CPU_CPU_BATCH_H

#include "kernels/align/common/aligner_backend.h"

typedef struct {
    align_context_t context;
    const pair_batch_t *batch;
    pair_results_t results;
    int64_t capacity; /* pairs that fit in results */
} cpu_batch_t;

/* Accept a batch and reserve memory for its results. @return ST_OK or ST_ENOMEM */
status_t cpu_batch_take(cpu_batch_t *cpu, const pair_batch_t *batch) MUST_CHECK;

/* Store the results of one pair. */
void cpu_batch_put(cpu_batch_t *cpu, int64_t index, int64_t score, int64_t matches,
                   int64_t columns);

/* Free the results. */
void cpu_batch_free(cpu_batch_t *cpu);

#endif
