/*
 * edit_filter_sweep_128.c - the sweep for vectors of 16 bytes, in the compiler's own
 * vector types: SSE2, NEON, or plain code.
 */
#include "kernels/align/edits/edit_filter_sweep.h"

#include <string.h>

typedef uint64_t words_t __attribute__((vector_size(16)));
typedef int64_t signed_t __attribute__((vector_size(16)));
typedef uint8_t bytes_t __attribute__((vector_size(2)));

#define NAME              edit_filter_sweep_128
#define LANES             2
#define VEC               words_t
#define SIGNED            signed_t
#define BYTES             bytes_t
#define V_ANY(mask)       (((mask)[0] | (mask)[1]) != 0)
#define V_OR_AND(a, b, c) ((a) | ((b) & (c)))
#define V_OR_NOR(a, b, c) ((a) | ~((b) | (c)))
#include "kernels/align/edits/edit_filter_sweep_body.h"
