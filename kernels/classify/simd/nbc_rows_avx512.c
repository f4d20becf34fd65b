/*
 * nbc_rows_avx512.c - AVX-512 BW.
 */
#define V_BYTES 64
#include "kernels/classify/simd/nbc_rows_body.h"

const nbc_rows_t nbc_rows_avx512 = {.add = add, .resample = resample, .bound = bound};
