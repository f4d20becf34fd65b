/*
 * cuda_band_stats.cu - logs how often the first band of a pair was wide enough.
 */
#include "kernels/align/cuda/cuda_band_stats.cuh"

#include "kernels/device/cuda_try.cuh"

void cuda_band_stats_report(const char *backend, const cuda_band_stats_t *stats)
{
    cuda_band_stats_t s = {0, 0};

    if (stats == nullptr ||
        cudaMemcpy(&s, stats, sizeof(s), cudaMemcpyDeviceToHost) != cudaSuccess ||
        s.n_banded == 0)
        return;
    log_verbose("%s: %llu pairs in a band, %.2f %% certified at the first try", backend,
                s.n_banded,
                100.0 * static_cast<double>(s.n_banded - s.n_retried) /
                    static_cast<double>(s.n_banded));
}
