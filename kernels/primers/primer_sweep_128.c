/*
 * primer_sweep_128.c - the sweep for vectors of 128 bits, which every CPU has, if need be
 * as words.
 */
#include "kernels/primers/primer_sweep.h"

typedef uint64_t words_t __attribute__((vector_size(16)));

#define NAME      primer_sweep_128
#define VEC       words_t
#define V_FULL(x) (((x)[0] & (x)[1]) == UINT64_MAX)
#include "kernels/primers/primer_sweep_body.h"
