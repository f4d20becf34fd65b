/*
 * cuda_word.cuh - what the kernels ask of a register, and of a warp's.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_WORD_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_WORD_CUH

/* The intrinsic masks the selector's sign bits, which give the zeros. */
__device__ inline unsigned cuda_permute(unsigned a, unsigned b, unsigned selector)
{
    unsigned out;

    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(selector));
    return out;
}

/* a * b + c on the pipe that multiplies: the other one is the one that is always busy. */
__device__ inline unsigned cuda_mad(unsigned a, unsigned b, unsigned c)
{
    unsigned out;

    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
}

/* The greater of two keys of 62 bits at most.  They are positive and no NaNs, so they are
 * ordered as doubles are: where these are quick, the comparison costs the busy pipe
 * nothing. */
__device__ inline unsigned long long cuda_max_key(unsigned long long a,
                                                  unsigned long long b)
{
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    return __longlong_as_double(static_cast<long long>(a)) <
                   __longlong_as_double(static_cast<long long>(b))
               ? b
               : a;
#else
    return max(a, b);
#endif
}

/* @return the greatest of a warp's values, in all its lanes */
__device__ inline int cuda_warp_max(int value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(0xffffffffu, value, distance));
    return value;
}

/* @return the sum of a warp's values, in all its lanes */
__device__ inline int cuda_warp_sum(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, value);
#else
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
#endif
}

#endif
