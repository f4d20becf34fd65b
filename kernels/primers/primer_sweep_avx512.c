/*
 * primer_sweep_avx512.c - the sweep for AVX-512.
 */
#include "kernels/primers/primer_sweep.h"

#include <immintrin.h>

typedef uint64_t words_t __attribute__((vector_size(64)));

#define NAME      primer_sweep_avx512
#define VEC       words_t
#define V_FULL(x) (_mm512_cmpneq_epu64_mask((__m512i)(x), _mm512_set1_epi64(-1)) == 0)
#include "kernels/primers/primer_sweep_body.h"
