/*
 * native_fragments.cuh - what a thread multiplies: its part of a tile, on tensor cores or
 * by single multiplications.
 *
 * Eight warps share a tile of 128 rows and COLUMNS columns: two along the rows, four
 * along the columns.
 */
#pragma once

#include "kernels/cnn/native/native_tile.cuh"

constexpr int NATIVE_WARP_ROWS = NATIVE_ROWS / 2;

/* Rounded to 10 bits of mantissa */
__device__ inline unsigned native_tf32(float x)
{
    unsigned rounded;

    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
    return rounded;
}

__device__ inline unsigned native_pair(const bf16_t *at)
{
    return *reinterpret_cast<const unsigned *>(at);
}

/* Four matrices of 8 x 8, transposed; a thread's address is that of one row. */
__device__ inline void native_transposed(unsigned r[4], const bf16_t *row)
{
    const unsigned at = unsigned(__cvta_generic_to_shared(row));

    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

__device__ inline void native_mma(float d[4], const unsigned a[4], const unsigned b[2],
                                  float)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void native_mma(float d[4], const unsigned a[4], const unsigned b[2],
                                  bf16_t)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* 16 rows and one step of the depth of a tile of N rows */
template <int N, bool DEEP>
__device__ inline void native_read_a(unsigned a[4], const float *tile, int row, int depth)
{
    const int lane = int(threadIdx.x % 32), r = row + lane / 4, d = depth + lane % 4;

    for (int k = 0; k < 4; k++) {
        const int rr = r + k % 2 * 8, dd = d + k / 2 * 4;

        a[k] = native_tf32(DEEP ? tile[rr * NATIVE_DEEP_ROW<float> + dd]
                                : tile[dd * NATIVE_WIDE_ROW<float, N> + rr]);
    }
}

template <int N, bool DEEP>
__device__ inline void native_read_a(unsigned a[4], const bf16_t *tile, int row,
                                     int depth)
{
    const int lane = int(threadIdx.x % 32);

    if constexpr (DEEP) {
        for (int k = 0; k < 4; k++)
            a[k] =
                native_pair(&tile[(row + lane / 4 + k % 2 * 8) * NATIVE_DEEP_ROW<bf16_t> +
                                  depth + lane % 4 * 2 + k / 2 * 8]);
    } else {
        native_transposed(
            a, &tile[(depth + lane % 8 + lane / 16 * 8) * NATIVE_WIDE_ROW<bf16_t, N> +
                     row + lane / 8 % 2 * 8]);
    }
}

/* Two times 8 columns */
template <int N, bool DEEP>
__device__ inline void native_read_b(unsigned b[4], const float *tile, int column,
                                     int depth)
{
    const int lane = int(threadIdx.x % 32), d = depth + lane % 4;

    for (int k = 0; k < 4; k++) {
        const int c = column + lane / 4 + k / 2 * 8, dd = d + k % 2 * 4;

        b[k] = native_tf32(DEEP ? tile[c * NATIVE_DEEP_ROW<float> + dd]
                                : tile[dd * NATIVE_WIDE_ROW<float, N> + c]);
    }
}

template <int N, bool DEEP>
__device__ inline void native_read_b(unsigned b[4], const bf16_t *tile, int column,
                                     int depth)
{
    const int lane = int(threadIdx.x % 32);

    if constexpr (DEEP) {
        for (int k = 0; k < 4; k++)
            b[k] = native_pair(
                &tile[(column + lane / 4 + k / 2 * 8) * NATIVE_DEEP_ROW<bf16_t> + depth +
                      lane % 4 * 2 + k % 2 * 8]);
    } else {
        native_transposed(b, &tile[(depth + lane % 16) * NATIVE_WIDE_ROW<bf16_t, N> +
                                   column + lane / 16 * 8]);
    }
}

/* Sums on tensor cores */
template <typename T, int COLUMNS, bool A_DEEP, bool B_DEEP> struct native_tensor_t {
    static constexpr int N_ROWS = NATIVE_WARP_ROWS / 16, N_COLUMNS = COLUMNS / 4 / 8;
    static constexpr int STEP = 32 / int(sizeof(T)); /* of the depth */
    float sums[N_ROWS][N_COLUMNS][4];

    __device__ int row0(void) const
    {
        return int(threadIdx.x) / 128 * NATIVE_WARP_ROWS;
    }
    __device__ int column0(void) const
    {
        return int(threadIdx.x) / 32 % 4 * (COLUMNS / 4);
    }
    __device__ void clear(void)
    {
        for (int i = 0; i < N_ROWS; i++)
            for (int j = 0; j < N_COLUMNS; j++)
                for (int k = 0; k < 4; k++)
                    sums[i][j][k] = 0;
    }
    __device__ void multiply(const T *a, const T *b)
    {
#pragma unroll
        for (int depth = 0; depth < NATIVE_DEPTH<T>; depth += STEP) {
            unsigned fa[N_ROWS][4], fb[N_COLUMNS][2];

#pragma unroll
            for (int i = 0; i < N_ROWS; i++)
                native_read_a<NATIVE_ROWS, A_DEEP>(fa[i], a, row0() + i * 16, depth);
#pragma unroll
            for (int j = 0; j < N_COLUMNS; j += 2)
                native_read_b<COLUMNS, B_DEEP>(&fb[j][0], b, column0() + j * 8, depth);
#pragma unroll
            for (int i = 0; i < N_ROWS; i++)
#pragma unroll
                for (int j = 0; j < N_COLUMNS; j++)
                    native_mma(sums[i][j], fa[i], fb[j], T());
        }
    }
    /* store(row, column, sum) of all that the thread has */
    template <typename F> __device__ void each(F store) const
    {
        const int lane = int(threadIdx.x % 32);

#pragma unroll
        for (int i = 0; i < N_ROWS; i++)
#pragma unroll
            for (int j = 0; j < N_COLUMNS; j++)
#pragma unroll
                for (int k = 0; k < 4; k++)
                    store(row0() + i * 16 + lane / 4 + k / 2 * 8,
                          column0() + j * 8 + lane % 4 * 2 + k % 2, sums[i][j][k]);
    }
};

/* Sums of 32-bit products.  A warp's threads are 8 along its rows, 4 along its columns;
 * what one of them owns lies where its reads are free of conflicts: four neighbours of a
 * wide tile, every eighth or fourth of a deep one. */
template <int COLUMNS, bool A_DEEP, bool B_DEEP> struct native_single_t {
    static constexpr int N_ROWS = 8, N_COLUMNS = COLUMNS / 16, STEP = 4;
    float sums[N_ROWS][N_COLUMNS];

    __device__ int row(int i) const
    {
        const int thread = int(threadIdx.x % 8);

        return int(threadIdx.x) / 128 * NATIVE_WARP_ROWS +
               (A_DEEP ? thread + 8 * i : thread * 4 + i % 4 + i / 4 * 32);
    }
    __device__ int column(int j) const
    {
        const int thread = int(threadIdx.x % 32 / 8);

        return int(threadIdx.x) / 32 % 4 * (COLUMNS / 4) +
               (B_DEEP ? thread + 4 * j : thread * 4 + j % 4 + j / 4 * 16);
    }
    __device__ void clear(void)
    {
        for (int i = 0; i < N_ROWS; i++)
            for (int j = 0; j < N_COLUMNS; j++)
                sums[i][j] = 0;
    }
    /* x[step of the depth][row] of a tile */
    template <int TILE, bool DEEP, int N, typename F>
    __device__ void read(float (&x)[STEP][N], const float *tile, int depth, F place) const
    {
#pragma unroll
        for (int i = 0; i < (DEEP ? N : STEP); i++)
            if constexpr (DEEP) {
                const float4 v = *reinterpret_cast<const float4 *>(
                    &tile[place(i) * NATIVE_DEEP_ROW<float> + depth]);

                x[0][i] = v.x;
                x[1][i] = v.y;
                x[2][i] = v.z;
                x[3][i] = v.w;
            } else {
#pragma unroll
                for (int k = 0; k < N; k += 4)
                    *reinterpret_cast<float4 *>(&x[i][k]) =
                        *reinterpret_cast<const float4 *>(
                            &tile[(depth + i) * NATIVE_WIDE_ROW<float, TILE> + place(k)]);
            }
    }
    __device__ void multiply(const float *a, const float *b)
    {
#pragma unroll 2
        for (int depth = 0; depth < NATIVE_DEPTH<float>; depth += STEP) {
            alignas(16) float fa[STEP][N_ROWS];
            alignas(16) float fb[STEP][N_COLUMNS];

            read<NATIVE_ROWS, A_DEEP>(fa, a, depth, [this](int i) { return row(i); });
            read<COLUMNS, B_DEEP>(fb, b, depth, [this](int j) { return column(j); });
#pragma unroll
            for (int k = 0; k < STEP; k++)
#pragma unroll
                for (int i = 0; i < N_ROWS; i++)
#pragma unroll
                    for (int j = 0; j < N_COLUMNS; j++)
                        sums[i][j] = fmaf(fa[k][i], fb[k][j], sums[i][j]);
        }
    }
    template <typename F> __device__ void each(F store) const
    {
#pragma unroll
        for (int i = 0; i < N_ROWS; i++)
#pragma unroll
            for (int j = 0; j < N_COLUMNS; j++)
                store(row(i), column(j), sums[i][j]);
    }
};
