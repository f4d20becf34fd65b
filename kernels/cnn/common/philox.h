/*
 * philox.h - random numbers that are a function of a key and a counter: Philox4x32-10
 * (Salmon, Moraes, Dror and Shaw 2011).
 *
 * Any thread can draw any number on its own.  For C and CUDA.
 */
#ifndef RIBOGRID_KERNELS_CNN_COMMON_PHILOX_H
#define RIBOGRID_KERNELS_CNN_COMMON_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define PHILOX_FN __host__ __device__ static inline
#else
#define PHILOX_FN static inline
#endif

typedef struct {
    uint32_t word[4];
} philox_t;

/* @return 128 random bits */
PHILOX_FN philox_t philox_bits(philox_t counter, uint64_t key)
{
    uint32_t *c = counter.word;
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);

    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)UINT32_C(0xd2511f53) * c[0];
        uint64_t b = (uint64_t)UINT32_C(0xcd9e8d57) * c[2];

        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key0;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key1;
        c[1] = (uint32_t)b;
        c[3] = (uint32_t)a;
        key0 += UINT32_C(0x9e3779b9);
        key1 += UINT32_C(0xbb67ae85);
    }
    return counter;
}

#endif
