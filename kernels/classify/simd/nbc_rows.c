/*
 * nbc_rows.c - vectors of 16 bytes, which every CPU has, and the choice of the functions.
 */
#define V_BYTES 16
#include "kernels/classify/simd/nbc_rows_body.h"

const nbc_rows_t nbc_rows_plain = {.add = add, .resample = resample, .bound = bound};

const nbc_rows_t *nbc_rows_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level >= SIMD_AVX512)
        return &nbc_rows_avx512;
    if (level >= SIMD_AVX2)
        return &nbc_rows_avx2;
#else
    (void)level;
#endif
    return &nbc_rows_plain;
}
