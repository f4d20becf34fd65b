/*
 * filter_popcount.h - bits that vectors have in common, of many rows with many columns.
 *
 * One function a vector level; which runs is chosen at run time.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_POPCOUNT_H
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_POPCOUNT_H

#include "kernels/device/device.h"

/* Vectors, `stride` words from one to the next, aligned to 64 bytes. */
typedef struct {
    const uint64_t *at;
    int64_t stride;
    int n;
} filter_vectors_t;

/*
 * Count.
 *
 * @param n_words  of a vector to look at, a multiple of 8
 * @param shared   [rows.n][cols.n]
 */
typedef void (*filter_popcount_t)(filter_vectors_t rows, filter_vectors_t cols,
                                  int n_words, int32_t *shared);

void filter_popcount_plain(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                           int32_t *shared);
void filter_popcount_avx2(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                          int32_t *shared);
/* Needs AVX-512 F and VPOPCNTDQ. */
void filter_popcount_avx512(filter_vectors_t rows, filter_vectors_t cols, int n_words,
                            int32_t *shared);

/* @return the widest that a CPU of this level can run */
filter_popcount_t filter_popcount_of(simd_level_t level);

#endif
