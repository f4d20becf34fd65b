/*
 * filter_products.cuh - what ROWS vectors share with COLS others, as a product of bits.
 *
 * The popcounts of ANDs of many vectors with many are a product of two matrices of bits,
 * of which tensor cores make 2^15 terms an instruction.  Vectors pass through shared
 * memory STEP words at a time, STAGES such steps under way.  A warp has SIDE x SIDE
 * pairs; of these a thread has every fourth two columns of every eighth row, in
 * registers.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_PRODUCTS_CUH
#define RIBOGRID_KERNELS_ALIGN_FILTER_FILTER_PRODUCTS_CUH

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
    BLOCKS = 2, /* of a multiprocessor: while one judges the other counts */
    STAGES = 2,
    STEP = 32, /* words: 128 bytes */
    QUAD = 4,  /* words that are moved at once */
    QUADS = STEP / QUAD,
    MMA_ROWS = 16, /* of an instruction */
    MMA_COLS = 8,
    MMA_QUADS = 2, /* that it takes of each vector */
    ROW_TILES = SIDE / MMA_ROWS,
    COL_TILES = SIDE / MMA_COLS,
    LANE_ROWS = 2 * ROW_TILES, /* that a thread has */
    LANE_COLS = 2 * COL_TILES,
    LANE_WORD = LANE_COLS / (SIDE / 32) /* of these, in a word of bits */
};

struct stage_t {
    unsigned rows[ROWS][STEP], cols[COLS][STEP];
};

/* Vectors, one a row or column; behind a set's last, too, there is what may be read. */
struct vectors_t {
    const unsigned *first;
    long long stride; /* words */
};

/* Bits that a thread's pairs share: [tile of rows][of columns][as mma lays them out]. */
typedef int sums_t[ROW_TILES][COL_TILES][4];

/* What is known of a thread's rows, or columns. */
struct lane_rows_t {
    int at[LANE_ROWS];
};
struct lane_cols_t {
    int at[LANE_COLS];
};

/* The i-th row of a thread, and its j-th column, in the tile. */
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

/* Where the sum of the i-th row and j-th column stands. */
__device__ int &sum_of(sums_t &sums, int i, int j)
{
    return sums[i / 2][j / 2][i % 2 * 2 + j % 2];
}

/* Where a quad of a row stands: eight rows' quads of one place lie in all banks. */
__device__ int place_of_quad(int row, int quad)
{
    return (quad ^ row % QUADS) * QUAD;
}

/* Begin to load a step of N vectors. */
template <int N>
__device__ void load_step(unsigned (*to)[STEP], const vectors_t &from, int word)
{
    enum { AT_ONCE = BLOCK / QUADS };
    const int i = threadIdx.x / QUADS, quad = threadIdx.x % QUADS;
    const unsigned *at = from.first + i * from.stride + word + quad * QUAD;

    static_assert(AT_ONCE % QUADS == 0, "quads of all turns stand alike");
#pragma unroll
    for (int k = 0; k < N / AT_ONCE; k++, at += AT_ONCE * from.stride)
        __pipeline_memcpy_async(&to[i + k * AT_ONCE][place_of_quad(i, quad)], at,
                                QUAD * sizeof(unsigned));
}

/* Four 8 x 16-byte matrices of shared memory, one's row at each lane's address. */
__device__ void load_matrices(unsigned *out, const unsigned *at)
{
#if __CUDA_ARCH__ >= 800
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));

    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address));
#endif
}

__device__ void multiply(int *sums, const unsigned *rows, const unsigned *cols)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                 : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(cols[0]),
                   "r"(cols[1]));
#endif
}

/* Add what the warp's pairs share in a step.  Which bits of a vector an instruction takes
 * for its first is all the same, if it does so of rows and columns alike. */
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
 * Count the bits that rows' and columns' vectors share.
 *
 * @param row_from, col_from  what each row's, and each column's, sums begin with
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
    __syncthreads(); /* the stages are free */
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

#endif
