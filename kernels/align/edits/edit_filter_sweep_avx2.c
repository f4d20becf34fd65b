/*
 * edit_filter_sweep_avx2.c - the sweep for AVX2: four lanes.
 */
#include "kernels/align/edits/edit_filter_sweep.h"

#include <immintrin.h>
#include <string.h>

typedef uint64_t words_t __attribute__((vector_size(32)));
typedef int64_t signed_t __attribute__((vector_size(32)));
typedef uint8_t bytes_t __attribute__((vector_size(4)));

#define NAME              edit_filter_sweep_avx2
#define LANES             4
#define VEC               words_t
#define SIGNED            signed_t
#define BYTES             bytes_t
#define V_ANY(mask)       (_mm256_movemask_epi8((__m256i)(mask)) != 0)
#define V_OR_AND(a, b, c) ((a) | ((b) & (c)))
#define V_OR_NOR(a, b, c) ((a) | ~((b) | (c)))
#include "kernels/align/edits/edit_filter_sweep_body.h"
