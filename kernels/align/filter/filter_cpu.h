/*
 * filter_cpu.h - the last stage for one pair, with a CPU's popcount.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_CPU_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_CPU_H

#include "kernels/align/filter/filter_backend.h"
#include "kernels/align/filter/filter_popcount.h"

/*
 * Test the ends of a pair that lengths and whole sequences do not rule out.
 *
 * @param good  filter_max_good of the pair
 * @return FILTER_BY_OVERLAP or FILTER_PASSED
 */
filter_verdict_t filter_cpu_ends(const filter_kmers_t *kmers, filter_popcount_t popcount,
                                 int64_t a, int64_t b, int32_t good);

#endif
