/*
 * tiled_lane.cuh - machine instructions of tiled-dscan: maxima, shuffles, and loads and
 * stores that other multiprocessors see.
 */
#pragma once

#include "kernels/align/cuda/cuda_word.cuh"

namespace
{

constexpr unsigned TILED_ALL = 0xffffffffu;

__device__ inline unsigned long long lane_mad_wide(int a, int b, unsigned long long c)
{
    unsigned long long out;

    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(out) : "r"(a), "r"(b), "l"(c));
    return out;
}

__device__ inline unsigned lane_best2(unsigned a, unsigned b, unsigned c)
{
    return __vimax3_u16x2(a, b, c);
}

__device__ inline unsigned lane_best(unsigned a, unsigned b, unsigned c)
{
    return __vimax3_u32(a, b, c);
}

/* c is available last, so it is compared last. */
__device__ inline unsigned long long lane_best(unsigned long long a, unsigned long long b,
                                               unsigned long long c)
{
    return cuda_max_key(cuda_max_key(a, b), c);
}

template <typename T> __device__ inline T lane_above(T x)
{
    return __shfl_up_sync(TILED_ALL, x, 1);
}

template <typename T> __device__ inline T lane_read(T x, int from)
{
    return __shfl_sync(TILED_ALL, x, from);
}

__device__ inline bool lane_all(bool x)
{
    return __all_sync(TILED_ALL, x) != 0;
}

__device__ inline void lane_sync()
{
    __syncwarp();
}

/* Words that other multiprocessors write meanwhile.  Each access is atomic. */
__device__ inline unsigned long long lane_load(const unsigned long long *at)
{
    unsigned long long out;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(out) : "l"(at) : "memory");
    return out;
}

__device__ inline void lane_store(unsigned long long *at, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(word) : "memory");
}

__device__ inline void lane_pause()
{
    __nanosleep(100);
}

} // namespace
