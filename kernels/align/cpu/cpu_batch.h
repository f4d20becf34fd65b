/*
 * cpu_batch.h - what the CPU backends share: a batch and its results.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/cpu/nw_trace.h"

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

/* The CIGARs of a batch on the CPU, traced pair by pair once scores,
 * matches and columns are known. */

typedef struct cpu_cigar cpu_cigar_t;

/*
 * Create the tracers of all threads.
 *
 * @param level  vectors that may be used
 * @param out    NULL unless the spec has EMIT_CIGAR
 * @return ST_OK or ST_ENOMEM
 */
status_t cpu_cigar_create(const cpu_batch_t *cpu, simd_level_t level,
                          cpu_cigar_t **out) MUST_CHECK;

/*
 * Add the CIGARs to the results of a batch, which are complete but for these.
 *
 * @param c     may be NULL: then nothing is done
 * @param ends  [n] where local alignments end, or NULL: nw_trace.h
 * @return ST_OK or ST_ENOMEM
 */
status_t cpu_cigar_run(cpu_cigar_t *c, cpu_batch_t *cpu,
                       const nw_trace_ends_t *ends) MUST_CHECK;

/* Takes NULL. */
void cpu_cigar_destroy(cpu_cigar_t *c);
