/*
 * filter_cpu.h - one pair through the stages, with a CPU's popcount.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_CPU_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_CPU_H

#include "kernels/align/filter/filter_backend.h"
#include "kernels/align/filter/filter_popcount.h"

/*
 * Tell the fate of a pair that lengths and whole sequences leave a chance.
 *
 * @param good  filter_max_good of it
 * @return FILTER_BY_OVERLAP or FILTER_PASSED
 */
filter_verdict_t filter_cpu_ends(const filter_kmers_t *kmers, filter_popcount_t popcount,
                                 int64_t a, int64_t b, int32_t good);

#endif
