/*
 * simd_group.h - prepares a group of pairs for a sweep.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_GROUP_H
#define RIBOGRID_KERNELS_ALIGN_SIMD_SIMD_GROUP_H

#include "kernels/align/simd/simd_batch.h"

/*
 * Choose the sequence that is the rows: the shorter one, or the query if only the
 * target's ends are free.
 *
 * @return whether it is the target, for a query of m bases and a target of n
 */
static inline bool simd_group_swaps(const align_spec_t *spec, int64_t m, int64_t n)
{
    return spec->ends != ENDS_QUERY && m > n;
}

/*
 * Find pairs that can share their rows: neighbours in the batch with the same query.
 *
 * @param pairs  [n] in the order of the batch, in and out: shared, m and n
 */
void simd_group_share_rows(const cpu_batch_t *cpu, simd_pair_t *pairs, int64_t n);

/* Fill in the shapes of a group's pairs, after sorting them by columns, the longest
 * first. */
void simd_group_measure(simd_group_t *g, simd_pair_t *pairs);

/*
 * Lay out the scratch memory of a group: a row of cells, the borders, the tables, and the
 * bases of all pairs, interleaved by lane.
 *
 * @return whether there was enough memory
 */
bool simd_group_lay_out(const cpu_batch_t *cpu, const simd_sweep_t *sweep,
                        const simd_pair_t *pairs, simd_group_t *g,
                        simd_scratch_t *scratch);

/* Fill in the border's cells and the steps of a matrix, as a sweep's lanes have them. */
void simd_group_fill(simd_group_t *g, const simd_sweep_t *sweep);

#endif
