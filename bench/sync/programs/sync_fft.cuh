/*
 * sync_fft.cuh - FFT of 2^20 to 2^22 complex numbers in two rounds.
 *
 * A round is a factor of 2^10 or 2^11.  A tile is all elements that some neighboring
 * columns, transforms of that length, need.  A thread has 16 points of a tile in
 * registers, and does stages of radix 16 and 8; between two of them the tile is in shared
 * memory, where 16 points of all columns are followed by a gap of one point, so that the
 * accesses of a warp fall on different banks.
 */
#pragma once

#include "bench/sync/programs/sync_program.cuh"

namespace
{

enum { MAX_FACTOR = 11 };

__device__ inline float2 times(float2 a, float2 b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* @return exp(-2 pi i x) */
__device__ inline float2 root(float x)
{
    float2 w;

    sincospif(-2 * x, &w.y, &w.x);
    return w;
}

/* @return x exp(-2 pi i k / 16) */
template <int K> __device__ inline float2 turned(float2 x)
{
    constexpr float HALF = 0.70710678118654752f;                       /* of pi / 4 */
    constexpr float C = 0.92387953251128674f, S = 0.3826834323650898f; /* of pi / 8 */

    switch (K) {
    case 1:
        return {C * x.x + S * x.y, C * x.y - S * x.x};
    case 2:
        return {HALF * (x.x + x.y), HALF * (x.y - x.x)};
    case 3:
        return {S * x.x + C * x.y, S * x.y - C * x.x};
    case 4:
        return {x.y, -x.x};
    case 5:
        return {C * x.y - S * x.x, -S * x.y - C * x.x};
    case 6:
        return {HALF * (x.y - x.x), -HALF * (x.x + x.y)};
    case 7:
        return {S * x.y - C * x.x, -C * x.y - S * x.x};
    default:
        return x;
    }
}

template <int R, int K = 0>
__device__ inline void combine(float2 (&v)[R], const float2 (&even)[R / 2],
                               const float2 (&odd)[R / 2])
{
    if constexpr (K < R / 2) {
        const float2 t = turned<16 * K / R>(odd[K]);

        v[K] = {even[K].x + t.x, even[K].y + t.y};
        v[K + R / 2] = {even[K].x - t.x, even[K].y - t.y};
        combine<R, K + 1>(v, even, odd);
    }
}

/* Transform R values, at most 16, in their order. */
template <int R> __device__ inline void transform(float2 (&v)[R])
{
    if constexpr (R > 1) {
        float2 even[R / 2], odd[R / 2];

#pragma unroll
        for (int k = 0; k < R / 2; k++) {
            even[k] = v[2 * k];
            odd[k] = v[2 * k + 1];
        }
        transform<R / 2>(even);
        transform<R / 2>(odd);
        combine<R>(v, even, odd);
    }
}

/* Multiply the values by 1, r, r^2, ... */
template <int R> __device__ inline void twist(float2 (&v)[R], float2 r)
{
    float2 w = r;

#pragma unroll
    for (int k = 1; k < R; k++) {
        v[k] = times(v[k], w);
        if (k + 1 < R)
            w = times(w, r);
    }
}

/* Of 2^20 to 2^22 points; a program (sync_program.cuh). */
struct fft_wide_t {
    enum {
        LOG2_TILE = 13,
        LOG2_RADIX = 4,
        RADIX = 1 << LOG2_RADIX,
        TILE = 1 << LOG2_TILE,
        THREADS = TILE / RADIX,
        BLOCKS_PER_CORE = 2,
        SHARED_BYTES = (TILE + TILE / RADIX) * sizeof(float2)
    };
    float2 *data[2];     /* round k reads data[k % 2] */
    const float2 *roots; /* [2^MAX_FACTOR] exp(-2 pi i k / 2^MAX_FACTOR) */
    int log2_n, n_rounds, n_blocks;
    int log2_factor[2];

    /* A round of factor 2^LOG2_F. */
    template <int LOG2_F> struct factor_t {
        enum {
            LOG2_C = LOG2_TILE - LOG2_F,
            C = 1 << LOG2_C,          /* columns */
            GAPPED = (RADIX + 1) * C, /* 16 points of all columns */
            LOG2_MIDDLE = LOG2_F - LOG2_RADIX - 3,
            MIDDLE = 1 << LOG2_MIDDLE, /* radix of the stage in the middle */
            LAST = 8,
            LOG2_LAST_DONE = LOG2_F - 3
        };
    };

    /* Read 16 points of a column, and do the first stage. */
    template <int LOG2_F>
    __device__ __forceinline__ void first(int k, int tile, float2 *shared) const
    {
        typedef factor_t<LOG2_F> f;
        const int c = static_cast<int>(threadIdx.x) & (f::C - 1),
                  j = static_cast<int>(threadIdx.x) >> f::LOG2_C;
        const int column = (tile << f::LOG2_C) + c;
        const float2 *from = data[k] + column + (j << (log2_n - LOG2_F));
        float2 v[RADIX];

#pragma unroll
        for (int q = 0; q < RADIX; q++)
            v[q] = __ldcg(&from[q << (log2_n - LOG2_RADIX)]);
        if (k > 0) { /* the column is one of 2^log2_factor[0] */
            const float x =
                static_cast<float>(column) / static_cast<float>(1 << log2_factor[0]);
            const float2 step = root(x / RADIX);
            float2 w = root(x * static_cast<float>(j) / static_cast<float>(1 << LOG2_F));

#pragma unroll
            for (int q = 0; q < RADIX; q++) {
                v[q] = times(v[q], w);
                if (q + 1 < RADIX)
                    w = times(w, step);
            }
        }
        transform<RADIX>(v);
        __syncthreads(); /* all have read the tile before */
#pragma unroll
        for (int q = 0; q < RADIX; q++)
            shared[j * f::GAPPED + c + q * f::C] = v[q];
        __syncthreads();
    }

    template <int LOG2_F> __device__ __forceinline__ void middle(float2 *shared) const
    {
        typedef factor_t<LOG2_F> f;
        enum { R = f::MIDDLE, N = RADIX / R, STEP = (1 << LOG2_F) / R / RADIX };
        float2 v[N][R];

#pragma unroll
        for (int i = 0; i < N; i++) {
            const int b = static_cast<int>(threadIdx.x) + i * THREADS;
            const int c = b & (f::C - 1), j = b >> f::LOG2_C;
            const int low = j & (RADIX - 1), high = j >> LOG2_RADIX;
            const float2 r =
                __ldg(&roots[low << (MAX_FACTOR - LOG2_RADIX - f::LOG2_MIDDLE)]);

#pragma unroll
            for (int q = 0; q < R; q++)
                v[i][q] =
                    shared[high * f::GAPPED + low * f::C + c + q * STEP * f::GAPPED];
            twist<R>(v[i], r);
            transform<R>(v[i]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < N; i++) {
            const int b = static_cast<int>(threadIdx.x) + i * THREADS;
            const int c = b & (f::C - 1), j = b >> f::LOG2_C;
            const int low = j & (RADIX - 1), high = j >> LOG2_RADIX;

#pragma unroll
            for (int q = 0; q < R; q++)
                shared[high * R * f::GAPPED + low * f::C + c + q * f::GAPPED] = v[i][q];
        }
        __syncthreads();
    }

    /* Do the last stage, and write the points. */
    template <int LOG2_F>
    __device__ __forceinline__ void last(int k, int tile, const float2 *shared) const
    {
        typedef factor_t<LOG2_F> f;
        enum { R = f::LAST, N = RADIX / R, STEP = (1 << LOG2_F) / R / RADIX };
        const int log2_before = k > 0 ? log2_factor[0] : 0;

#pragma unroll
        for (int i = 0; i < N; i++) {
            const int b = static_cast<int>(threadIdx.x) + i * THREADS;
            const int c = b & (f::C - 1), j = b >> f::LOG2_C;
            const int low = j & (RADIX - 1), high = j >> LOG2_RADIX;
            const int column = (tile << f::LOG2_C) + c;
            float2 *to =
                data[1 - k] + (k > 0 ? column : column << LOG2_F) + (j << log2_before);
            float2 v[R];

#pragma unroll
            for (int q = 0; q < R; q++)
                v[q] = shared[high * f::GAPPED + low * f::C + c + q * STEP * f::GAPPED];
            twist<R>(v, __ldg(&roots[j << (MAX_FACTOR - LOG2_F)]));
            transform<R>(v);
#pragma unroll
            for (int q = 0; q < R; q++)
                __stcg(&to[q << (f::LOG2_LAST_DONE + log2_before)], v[q]);
        }
    }

    template <int LOG2_F> __device__ __forceinline__ void tiles(int k) const
    {
        extern __shared__ float2 shared[];

        for (int tile = static_cast<int>(blockIdx.x); tile < 1 << (log2_n - LOG2_TILE);
             tile += static_cast<int>(gridDim.x)) {
            first<LOG2_F>(k, tile, shared);
            middle<LOG2_F>(shared);
            last<LOG2_F>(k, tile, shared);
        }
    }

    __device__ void round(int k) const
    {
        if (log2_factor[k] == 10)
            tiles<10>(k);
        else
            tiles<11>(k);
    }
};

} // namespace
