/*
 * cnn_parts.h - what all parts of a batch say of a channel: tensors [2 parts][c] of batch
 * norm, merged in the order of the parts.  For C and CUDA.
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define CNN_PARTS_FN __host__ __device__ static inline
#else
#define CNN_PARTS_FN static inline
#endif

/* Mean and sum of squared deviations, or two sums. */
typedef struct {
    double first, second;
} cnn_pair_t;

/* @return the moments of all parts, of which each has n elements of the channel
 * @param parts  at the channel of the first row; rows are n_channels apart */
CNN_PARTS_FN cnn_pair_t cnn_parts_moments(const float *parts, int64_t n_parts,
                                          int64_t n_channels, double n)
{
    cnn_pair_t whole = {0, 0};

    for (int64_t r = 0; r < n_parts; r++)
        whole.first += (double)parts[2 * r * n_channels];
    whole.first /= (double)n_parts;
    for (int64_t r = 0; r < n_parts; r++) {
        const double d = (double)parts[2 * r * n_channels] - whole.first;

        whole.second += (double)parts[(2 * r + 1) * n_channels] + n * d * d;
    }
    return whole;
}

/* @return the sums of all parts */
CNN_PARTS_FN cnn_pair_t cnn_parts_sums(const float *parts, int64_t n_parts,
                                       int64_t n_channels)
{
    cnn_pair_t whole = {0, 0};

    for (int64_t r = 0; r < n_parts; r++) {
        whole.first += (double)parts[2 * r * n_channels];
        whole.second += (double)parts[(2 * r + 1) * n_channels];
    }
    return whole;
}
