/*
 * edit_filter_sweep_avx512.c - the sweep for AVX-512 (F, BW, VL, DQ): eight lanes.
 */
#include "kernels/align/edits/edit_filter_sweep.h"

#include <immintrin.h>
#include <string.h>

typedef uint64_t words_t __attribute__((vector_size(64)));
typedef int64_t signed_t __attribute__((vector_size(64)));
typedef uint8_t bytes_t __attribute__((vector_size(8)));

/* One instruction; the compiler would use two or three. */
#define TERNARY(a, b, c, table) \
    ((words_t)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))

#define NAME              edit_filter_sweep_avx512
#define LANES             8
#define VEC               words_t
#define SIGNED            signed_t
#define BYTES             bytes_t
#define V_ANY(mask)       (_mm512_movepi64_mask((__m512i)(mask)) != 0)
#define V_OR_AND(a, b, c) TERNARY(a, b, c, 0xf8)
#define V_OR_NOR(a, b, c) TERNARY(a, b, c, 0xf1)
#include "kernels/align/edits/edit_filter_sweep_body.h"
