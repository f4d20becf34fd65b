/*
 * cnn_divide.cuh - division of indices by numbers that the host knows.
 */
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

/* Division of numbers below 2^31 by multiplication (Granlund and Montgomery 1994) */
typedef struct {
    unsigned divisor, factor, shift;
} cnn_divisor_t;

static inline cnn_divisor_t cnn_divisor(unsigned divisor)
{
    cnn_divisor_t d = {divisor, 0, 0};
    unsigned log2 = 0;

    while ((uint64_t(1) << log2) < divisor)
        log2++;
    if (divisor > 1) {
        d.factor = unsigned(((uint64_t(1) << (31 + log2)) + divisor - 1) / divisor);
        d.shift = log2 - 1;
    }
    return d;
}

__device__ inline unsigned cnn_divide(unsigned n, const cnn_divisor_t &d)
{
    return d.divisor == 1 ? n : __umulhi(n, d.factor) >> d.shift;
}
