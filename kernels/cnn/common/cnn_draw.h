/*
 * cnn_draw.h - which random number belongs to which element.
 *
 * The key of Philox is the run's seed, the counter (element / 4, iteration, stream); the
 * element takes word element % 4.  A stream is a dropout layer's number, or CNN_INITIAL +
 * a parameter's number, or CNN_ORDER: of images.  For C and CUDA.
 */
#ifndef RIBOGRID_KERNELS_CNN_COMMON_CNN_DRAW_H
#define RIBOGRID_KERNELS_CNN_COMMON_CNN_DRAW_H

#include "kernels/cnn/common/philox.h"

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

#endif
