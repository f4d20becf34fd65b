/*
 * simd_group.h - makes a group of pairs ready for a sweep.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_SIMD_GROUP_H
#define RIBOGRID_KERNELS_ALIGN_CPU_SIMD_GROUP_H

#include "kernels/align/cpu/cpu_batch.h"
#include "kernels/align/cpu/simd_sweep.h"

/*
 * Tell which sequence's letters are rows: the shorter one's, but where the target's ends
 * alone are free the query's.
 *
 * @return whether the target's are, of a query of m letters and a target of n
 */
static inline bool simd_group_swaps(const align_spec_t *spec, int64_t m, int64_t n)
{
    return spec->ends != ENDS_QUERY && m > n;
}

/* A pair as it is sorted. */
typedef struct {
    int32_t m, n;
    int32_t band;  /* SIMD_BAND_NONE: the whole matrix */
    int32_t high;  /* guarded: the band's upper edge, as it was guarded */
    bool exact;    /* a form that leaves no doubt is wanted */
    int64_t index; /* into the batch */
} simd_pair_t;

/* A thread's memory; grows on demand. */
typedef struct {
    void *memory;
    size_t bytes;
    bool failed;
} simd_scratch_t;

/* Note the shapes of a group's pairs; they are sorted, the one with most columns first.
 */
void simd_group_measure(simd_group_t *g, simd_pair_t *pairs);

/*
 * Lay out scratch for a group: the row of H, the border, the tables, and the pairs'
 * letters lane by lane.
 *
 * @return whether there was memory for it
 */
bool simd_group_lay_out(const cpu_batch_t *cpu, const simd_sweep_t *sweep,
                        const simd_pair_t *pairs, simd_group_t *g,
                        simd_scratch_t *scratch);

/* Fill in the border's cells and the steps of a matrix, in the group's form. */
void simd_group_fill(const align_spec_t *spec, simd_group_t *g);

#endif
