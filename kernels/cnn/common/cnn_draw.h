/*
 * cnn_draw.h - random numbers that are a function of a key and a counter: Philox4x32-10
 * (Salmon, Moraes, Dror and Shaw 2011); and which of them belongs to which element.
 *
 * The key of Philox is the run's seed, the counter (element / 4, iteration, stream); the
 * element takes word element % 4.  A stream is a dropout layer's number, or CNN_INITIAL +
 * a parameter's number, or CNN_ORDER: of images.  Any thread can draw any number on its
 * own.  For C and CUDA.
 */
#pragma once

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

#define CNN_INITIAL UINT32_C(0x80000000)
#define CNN_ORDER   UINT32_C(0x40000000)

/* @return the random numbers of elements 4 block .. 4 block + 3; block below 2^64,
 * iteration taken modulo 2^32 */
PHILOX_FN philox_t cnn_draw_block(uint64_t seed, uint32_t stream, int64_t iteration,
                                  uint64_t block)
{
    philox_t counter;

    counter.word[0] = (uint32_t)block;
    counter.word[1] = (uint32_t)(block >> 32);
    counter.word[2] = (uint32_t)iteration;
    counter.word[3] = stream;
    return philox_bits(counter, seed);
}

/* @return 32 random bits of an element */
PHILOX_FN uint32_t cnn_draw(uint64_t seed, uint32_t stream, int64_t iteration,
                            uint64_t element)
{
    return cnn_draw_block(seed, stream, iteration, element / 4).word[element % 4];
}

/* @param p  in [0, 1): probability of dropping
 * @return an element is dropped if its random bits are below this */
PHILOX_FN uint32_t cnn_draw_limit(double p)
{
    return (uint32_t)(p * 4294967296.0);
}
