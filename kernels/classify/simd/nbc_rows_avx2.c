/*
 * nbc_rows_avx2.c - AVX2.
 */
#define V_BYTES 32
#include "kernels/classify/simd/nbc_rows_body.h"

const nbc_rows_t nbc_rows_avx2 = {.add = add, .resample = resample, .bound = bound};
