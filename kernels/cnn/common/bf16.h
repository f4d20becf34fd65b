/*
 * bf16.h - the upper half of a 32-bit float.
 */
#ifndef RIBOGRID_KERNELS_CNN_COMMON_BF16_H
#define RIBOGRID_KERNELS_CNN_COMMON_BF16_H

#include <stdint.h>
#include <string.h>

static inline float bf16_to_float(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* @return the nearest number, of two the one whose last bit is 0; NaN stays NaN */
static inline uint16_t bf16_from_float(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    if ((bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
