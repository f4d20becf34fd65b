/*
 * filter_popcount.h - how many bits the vectors of many rows have in common with those of
 * many columns.
 *
 * There is one function per vector level; which one runs is chosen at run time.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_POPCOUNT_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_POPCOUNT_H

#include "kernels/device/device.h"

/* Vectors, aligned to 64 bytes; `stride` words from one to the next. */
typedef struct {
    const uint64_t *at;
    int64_t stride;
    int n;
} filter_vectors_t;

/*
 * Count common bits.
 *
 * @param n_words  words per vector, a multiple of 8
 * @param shared   [rows.n][cols.n] out
 */
typedef void (*filter_popcount_t)(filter_vectors_t rows, filter_vectors_t cols,
                                  int n_words, int32_t *shared);

void filter_popcount_avx2(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                          int32_t *shared);
/* Needs AVX-512 F and VPOPCNTDQ. */
void filter_popcount_avx512(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                            int32_t *shared);

/* @return the widest function that a CPU of this level can run */
filter_popcount_t filter_popcount_of(simd_level_t level);

#endif
