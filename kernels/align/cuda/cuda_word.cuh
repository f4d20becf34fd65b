/*
 * cuda_word.cuh - machine instructions for cells: permutation, multiply-add, maximum, and
 * reductions over a warp.
 */
#pragma once

/* For functions that tests call on the CPU. */
#define CUDA_BOTH __host__ __device__
#ifdef __CUDA_ARCH__
#define CUDA_UNROLL    _Pragma("unroll")
#define CUDA_NO_UNROLL _Pragma("unroll 1")
#else
#define CUDA_UNROLL
#define CUDA_NO_UNROLL
#endif

/* 1 where a GPU has as many units for doubles as for integers, and on the CPU, where
 * tests run. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
    __CUDA_ARCH__ == 1000
#define CUDA_FAST_DOUBLES 1
#else
#define CUDA_FAST_DOUBLES 0
#endif

/* prmt.b32 with all selector bits: bit 3 of a selector replicates the sign of its byte,
 * which makes 0 of bytes below 0x80.  The intrinsic __byte_perm masks that bit. */
CUDA_BOTH inline unsigned cuda_permute(unsigned a, unsigned b, unsigned selector)
{
    unsigned out = 0;

#ifdef __CUDA_ARCH__
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(selector));
#else
    for (int i = 0; i < 4; i++) {
        const unsigned s = selector >> (4 * i) & 15;
        const unsigned byte = (s & 4 ? b : a) >> (8 * (s & 3)) & 0xff;

        out |= (s & 8 ? (byte >> 7) * 0xff : byte) << (8 * i);
    }
#endif
    return out;
}

/* Any function of the bits of three words, in one instruction: bit 4 a + 2 b + c of TABLE
 * is its value.  So TABLE is the function of LOP_A, LOP_B and LOP_C. */
constexpr unsigned LOP_A = 0xf0, LOP_B = 0xcc, LOP_C = 0xaa;

template <unsigned TABLE>
CUDA_BOTH inline unsigned cuda_lop(unsigned a, unsigned b, unsigned c)
{
    unsigned out = 0;

#ifdef __CUDA_ARCH__
    asm("lop3.b32 %0, %1, %2, %3, %4;"
        : "=r"(out)
        : "r"(a), "r"(b), "r"(c), "n"(TABLE & 0xff));
#else
    for (unsigned k = 0; k < 8; k++)
        if ((TABLE >> k & 1) != 0)
            out |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) &
                   ((k & 1) != 0 ? c : ~c);
#endif
    return out;
}

/* a * b + c, on the multiply pipe.  The ALU pipe is the busy one, so kernels add with
 * b = 1 (a kernel parameter, which the compiler cannot fold into an addition). */
CUDA_BOTH inline unsigned cuda_mad(unsigned a, unsigned b, unsigned c)
{
#ifdef __CUDA_ARCH__
    unsigned out;

    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
    return out;
#else
    return a * b + c;
#endif
}

/* The sums of both halves of two words; on GPUs since Hopper beside the ALU pipe. */
CUDA_BOTH inline unsigned cuda_add2(unsigned a, unsigned b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned out;

    asm("add.s16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
#else
    constexpr unsigned SIGNS = 0x80008000u;

    return ((a & ~SIGNS) + (b & ~SIGNS)) ^ ((a ^ b) & SIGNS);
#endif
}

/* The greater of two keys below 2^62.  Read as doubles such keys are positive and no
 * NaNs, hence in the same order; where doubles are fast, the comparison leaves the ALU
 * pipe. */
__device__ inline unsigned long long cuda_max_key(unsigned long long a,
                                                  unsigned long long b)
{
#if CUDA_FAST_DOUBLES
    return __longlong_as_double(static_cast<long long>(a)) <
                   __longlong_as_double(static_cast<long long>(b))
               ? b
               : a;
#else
    return max(a, b);
#endif
}

/* @return the maximum over a warp, in all lanes */
__device__ inline int cuda_warp_max(int value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(0xffffffffu, value, distance));
    return value;
}

/* @return the sum over a warp, in all lanes */
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
