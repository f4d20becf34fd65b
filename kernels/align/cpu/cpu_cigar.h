/*
 * cpu_cigar.h - the CIGARs of a batch on the CPU, traced pair by pair once scores,
 * matches and columns are known.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_CPU_CIGAR_H
#define RIBOGRID_KERNELS_ALIGN_CPU_CPU_CIGAR_H

#include "kernels/align/cpu/cpu_batch.h"
#include "kernels/align/cpu/nw_trace.h"

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

#endif
