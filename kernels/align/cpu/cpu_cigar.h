/*
 * cpu_cigar.h - the CIGARs of a batch of a CPU row, pair by pair, after its numbers.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_CPU_CIGAR_H
#define RIBOGRID_KERNELS_ALIGN_CPU_CPU_CIGAR_H

#include "kernels/align/cpu/cpu_batch.h"

typedef struct cpu_cigar cpu_cigar_t;

/*
 * Get ready for the batches of a row.
 *
 * @param level  of the vectors that may be used
 * @param out    NULL if no CIGARs are wanted
 * @return ST_OK or ST_ENOMEM
 */
status_t cpu_cigar_create(const cpu_batch_t *cpu, simd_level_t level,
                          cpu_cigar_t **out) MUST_CHECK;

/*
 * Put the CIGARs of the batch beside its results, which stand already.
 *
 * @param c  may be NULL: nothing is done
 * @return ST_OK or ST_ENOMEM
 */
status_t cpu_cigar_run(cpu_cigar_t *c, cpu_batch_t *cpu) MUST_CHECK;

/* Takes NULL. */
void cpu_cigar_destroy(cpu_cigar_t *c);

#endif
