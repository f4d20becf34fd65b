/*
 * cpu_batch.h - what the CPU rows share: a batch, room for its results, the threads.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_CPU_BATCH_H
#define RIBOGRID_KERNELS_ALIGN_CPU_CPU_BATCH_H

#include "kernels/align/common/aligner_backend.h"

typedef struct {
    align_context_t context;
    const pair_batch_t *batch;
    pair_results_t results;
    int64_t capacity; /* pairs that results has room for */
} cpu_batch_t;

/* Take a batch and make room for its results. @return ST_OK or ST_ENOMEM */
status_t cpu_batch_take(cpu_batch_t *cpu, const pair_batch_t *batch) MUST_CHECK;

/* Put one pair's numbers where they belong. */
void cpu_batch_put(cpu_batch_t *cpu, int64_t index, int64_t score, int64_t matches,
                   int64_t columns);

/* Give the results' memory back. */
void cpu_batch_free(cpu_batch_t *cpu);

#endif
