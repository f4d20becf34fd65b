/*
 * cuda_band_stats.cuh - counts how often the first band of a pair was wide enough (-v).
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BAND_STATS_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_BAND_STATS_CUH

/* In device memory; kernels add to it. */
struct cuda_band_stats_t {
    unsigned long long n_banded;  /* pairs aligned in a band */
    unsigned long long n_retried; /* of these, pairs that were aligned again */
};

/* Log a backend's counts at -v, if any pair had a band.
 * @param stats  on the device; may be NULL */
void cuda_band_stats_report(const char *backend, const cuda_band_stats_t *stats);

#endif
