/*
 * filter_products.cuh - how many bits each of ROWS vectors has in common with each of
 * COLS others, as a product of two matrices of bits.
 *
 * A tensor-core instruction adds 2^15 ANDs of two bits. The vectors pass through shared
 * memory STEP words at a time, with STAGES steps in flight. A warp has SIDE x SIDE pairs.
 * Each of its threads has, in registers, every fourth pair of columns of every eighth
 * row.
 */
#pragma once

#include "kernels/align/filter/filter_tile.cuh"

#include <cuda_pipeline_primitives.h>

namespace
{

enum {
    ROWS = 128,
    COLS = 128,
    SIDE = 64,
    WARP = 32,
    WARPS_ACROSS = COLS / SIDE,
    BLOCK = ROWS / SIDE * WARPS_ACROSS * WARP,
    BLOCKS = 2, /* per multiprocessor: while one decides the other counts */
    STAGES = 2,
    STEP = 32, /* words: 128 bytes of each vector */
    QUAD = 4,  /* words copied at once */
    QUADS = STEP / QUAD,
    MMA_ROWS = 16, /* rows and columns of an instruction */
    MMA_COLS = 8,
    MMA_QUADS = 2, /* quads of each vector that an instruction takes */
    ROW_TILES = SIDE / MMA_ROWS,
    COL_TILES = SIDE / MMA_COLS,
    LANE_ROWS = 2 * ROW_TILES, /* rows and columns of a thread */
    LANE_COLS = 2 * COL_TILES,
    LANE_WORD = LANE_COLS / (SIDE / 32) /* columns of a thread in one word of bits */
};

struct stage_t {
    unsigned rows[ROWS][STEP], cols[COLS][STEP];
};

/* One vector per row or column. Behind the last vector of a set there is memory that may
 * be read. */
struct vectors_t {
    const unsigned *first;
    long long stride; /* words */
};

/* The bits that a thread's pairs have in common: [tile of rows][tile of columns][place in
 * the layout of mma]. */
typedef int sums_t[ROW_TILES][COL_TILES][4];

/* A value for each of a thread's rows, or columns. */
struct lane_rows_t {
    int at[LANE_ROWS];
};
struct lane_cols_t {
    int at[LANE_COLS];
};

/* @return the place of a thread's i-th row, or j-th column, in the tile */
__device__ int row_of(int i)
{
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

    return warp / WARPS_ACROSS * SIDE + i * 8 + lane / 4;
}

__device__ int col_of(int j)
{
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

    return warp % WARPS_ACROSS * SIDE + j / 2 * MMA_COLS + lane % 4 * 2 + j % 2;
}

__device__ lane_rows_t rows_of(const int *from)
{
    lane_rows_t out;

#pragma unroll
    for (int i = 0; i < LANE_ROWS; i++)
        out.at[i] = from[row_of(i)];
    return out;
}

__device__ lane_cols_t cols_of(const int *from)
{
    lane_cols_t out;

#pragma unroll
    for (int j = 0; j < LANE_COLS; j += 2) {
        const int2 two = *reinterpret_cast<const int2 *>(&from[col_of(j)]);

        out.at[j] = two.x;
        out.at[j + 1] = two.y;
    }
    return out;
}

/* @return the sum of a thread's i-th row and j-th column */
__device__ int &sum_of(sums_t &sums, int i, int j)
{
    return sums[i / 2][j / 2][i % 2 * 2 + j % 2];
}

/* @return where a quad of a row is stored: the same quad of eight rows covers all banks
 */
__device__ int place_of_quad(int row, int quad)
{
    return (quad ^ row % QUADS) * QUAD;
}

/* Start loading a step of N vectors. */
template <int N>
__device__ void load_step(unsigned (*to)[STEP], const vectors_t &from, int word)
{
    enum { AT_ONCE = BLOCK / QUADS };
    const int i = threadIdx.x / QUADS, quad = threadIdx.x % QUADS;
    const unsigned *at = from.first + i * from.stride + word + quad * QUAD;

    static_assert(AT_ONCE % QUADS == 0, "a quad has the same place in each round");
#pragma unroll
    for (int k = 0; k < N / AT_ONCE; k++, at += AT_ONCE * from.stride)
        __pipeline_memcpy_async(&to[i + k * AT_ONCE][place_of_quad(i, quad)], at,
                                QUAD * sizeof(unsigned));
}

/* Load four 8 x 16-byte matrices from shared memory; each lane gives the address of a
 * row. */
__device__ void load_matrices(unsigned *out, const unsigned *at)
{
#ifdef FILTER_HAS_MMA
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));

    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address));
#endif
}

__device__ void multiply(int *sums, const unsigned *rows, const unsigned *cols)
{
#ifdef FILTER_HAS_MMA
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(cols[0]),
                   "r"(cols[1]));
#endif
}

/* Add the common bits of one step. It does not matter in which order an instruction takes
 * the bits of a vector, as long as it is the same for rows and columns. */
__device__ void add_step(const stage_t &s, sums_t &sums)
{
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int row0 = warp / WARPS_ACROSS * SIDE, col0 = warp % WARPS_ACROSS * SIDE;

#pragma unroll
    for (int quad = 0; quad < QUADS; quad += MMA_QUADS) {
        unsigned rows[ROW_TILES][4], cols[COL_TILES / 2][4];

#pragma unroll
        for (int i = 0; i < ROW_TILES; i++) {
            const int row = row0 + i * MMA_ROWS + lane % 16;

            load_matrices(rows[i], &s.rows[row][place_of_quad(row, quad + lane / 16)]);
        }
#pragma unroll
        for (int j = 0; j < COL_TILES / 2; j++) {
            const int col = col0 + j * 2 * MMA_COLS + lane / 16 * 8 + lane % 8;

            load_matrices(cols[j], &s.cols[col][place_of_quad(col, quad + lane / 8 % 2)]);
        }
#pragma unroll
        for (int j = 0; j < COL_TILES; j++)
#pragma unroll
            for (int i = 0; i < ROW_TILES; i++)
                multiply(sums[i][j], rows[i], &cols[j / 2][j % 2 * 2]);
    }
}

/*
 * Count the common bits of all rows and columns.
 *
 * @param row_from, col_from  what the sums of each row and of each column start with
 */
__device__ void count_shared(stage_t *stages, const vectors_t &rows,
                             const vectors_t &cols, int words, const int *row_from,
                             const int *col_from, sums_t &sums)
{
    const lane_rows_t row_first = rows_of(row_from);
    const lane_cols_t col_first = cols_of(col_from);
    const int n = words / STEP;

#pragma unroll
    for (int i = 0; i < LANE_ROWS; i++)
#pragma unroll
        for (int j = 0; j < LANE_COLS; j++)
            sum_of(sums, i, j) = row_first.at[i] + col_first.at[j];
    __syncthreads(); /* the stages are no longer read */
    for (int k = 0; k < STAGES - 1; k++) {
        if (k < n) {
            load_step<ROWS>(stages[k].rows, rows, k * STEP);
            load_step<COLS>(stages[k].cols, cols, k * STEP);
        }
        __pipeline_commit();
    }
#pragma unroll 1
    for (int k = 0, at = 0, next = STAGES - 1; k < n; k++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (k + STAGES - 1 < n) {
            load_step<ROWS>(stages[next].rows, rows, (k + STAGES - 1) * STEP);
            load_step<COLS>(stages[next].cols, cols, (k + STAGES - 1) * STEP);
        }
        __pipeline_commit();
        add_step(stages[at], sums);
        next = at;
        at = at + 1 < STAGES ? at + 1 : 0;
    }
}

} // namespace
