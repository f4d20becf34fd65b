/*
 * cpu_batch.h - what the CPU backends share: a batch and its results.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/cpu/nw_trace.h"
#include "kernels/align/cpu/trace_path.h"

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

/* The CIGARs of a batch on the CPU.  A backend may follow paths itself; the others are
 * traced pair by pair once scores, matches and columns are known. */

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

/* Begin a batch of n pairs. @param c  may be NULL @return ST_OK or ST_ENOMEM */
status_t cpu_cigar_begin(cpu_cigar_t *c, int64_t n) MUST_CHECK;

/* Keep the path of a pair of the batch, which has been followed to its first cell; called
 * by a thread of the pool.  That memory is short is reported by cpu_cigar_run. */
void cpu_cigar_put(cpu_cigar_t *c, int thread, int64_t index, const trace_path_t *path);

/*
 * Trace the pairs that have an alignment and no path yet, and add all CIGARs to the
 * results of a batch, which are complete but for these.
 *
 * @param c     may be NULL: then nothing is done
 * @param ends  [n] where local alignments end, or NULL: nw_trace.h
 * @return ST_OK or ST_ENOMEM
 */
status_t cpu_cigar_run(cpu_cigar_t *c, cpu_batch_t *cpu,
                       const nw_trace_ends_t *ends) MUST_CHECK;

/* Takes NULL. */
void cpu_cigar_destroy(cpu_cigar_t *c);
