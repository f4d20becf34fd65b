/*
 * primer_sweep_avx2.c - the sweep for AVX2.
 */
#include "kernels/primers/primer_sweep.h"

#include <immintrin.h>

typedef uint64_t words_t __attribute__((vector_size(32)));

#define NAME      primer_sweep_avx2
#define VEC       words_t
#define V_FULL(x) (_mm256_testc_si256((__m256i)(x), _mm256_set1_epi8(-1)) != 0)
#include "kernels/primers/primer_sweep_body.h"
