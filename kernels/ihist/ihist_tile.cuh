/*
 * ihist_tile.cuh - what a block does with one tile and a group of bins, whatever the
 * method is.
 *
 * A block's tile has SIDE x SIDE pixels, and is a part of a tile of the result, or all of
 * it.  A thread owns BLOCK_COLUMNS columns of a band of rows, and VEC bins: it goes down
 * the band, and knows of each row how many of its pixels are before its columns.  So
 * every number is one addition to the one above, and no thread waits for another.  What
 * the bands above have is counted by columns before.
 */
#pragma once

#include "kernels/ihist/ihist_kernels.cuh"

constexpr int IHIST_THREADS = 256, BLOCK_COLUMNS = 8, NO_BIN = 0xff;

/* How many tiles before one are added up.  The `whole`-th, which is the last of them, is
 * added with all before it; 0: none is. */
struct ihist_back_t {
    int n, whole;
};

/* Of a tile, in shared memory; words have a byte per bin. */
template <int SIDE> struct ihist_shared_t {
    static constexpr int BLOCKS = SIDE / BLOCK_COLUMNS, BANDS = 256 / SIDE;
    static constexpr int BAND_ROWS = SIDE / BANDS;

    union {
        struct {
            int32_t left[SIDE][IHIST_GROUP_BINS];  /* counts of rows left of the tile */
            int32_t above[SIDE][IHIST_GROUP_BINS]; /* P of the row above the tile */
        };
        struct { /* before these two are known */
            uint32_t column[BANDS][SIDE][IHIST_GROUP_WORDS];        /* counts of one */
            uint16_t before_block[BANDS][BLOCKS][IHIST_GROUP_BINS]; /* in a band */
        };
    };
    int32_t band_left[BANDS + 1][IHIST_GROUP_BINS];   /* of all rows above a band */
    uint32_t before[SIDE][BLOCKS][IHIST_GROUP_WORDS]; /* in its row before a block */
    uint32_t row[SIDE][IHIST_GROUP_WORDS];            /* counts of a row */
    uint16_t band[BANDS][SIDE]
                 [IHIST_GROUP_BINS]; /* P of its last row, of the tile alone */
    uint8_t bin[SIDE][SIDE];         /* of the group, or NO_BIN */
    int ticket;
    ihist_back_t back;
};

/* A tile of a block, and its bins. */
struct ihist_place_t {
    int frame, group, y, x; /* y, x: in tiles of blocks */
    int first_bin, n_bins;
};

__device__ inline ihist_place_t ihist_place(const ihist_launch_t &a, int frame, int group,
                                            int y, int x)
{
    const int n_bins = static_cast<int>(a.shape.n_bins);
    const int first = group * IHIST_GROUP_BINS;

    return {frame, group, y, x, first, min(n_bins - first, int(IHIST_GROUP_BINS))};
}

/* @return where the number of a pixel and bin is stored; y, x: in the frame */
__device__ inline int32_t *ihist_at(const ihist_launch_t &a, const ihist_place_t &p,
                                    int y, int x, int bin)
{
    const int side = static_cast<int>(a.shape.side);
    const int tile = y / side * a.grid.tiles_across + x / side;
    const int64_t row = (static_cast<int64_t>(p.frame) * a.grid.tiles + tile) * side;

    return a.out + ((row + y % side) * side + x % side) * a.shape.n_bins + p.first_bin +
           bin;
}

template <int VEC> __device__ void ihist_store(int32_t *to, const int32_t (&v)[VEC])
{
    if constexpr (VEC == 4)
        __stcs(reinterpret_cast<int4 *>(to), make_int4(v[0], v[1], v[2], v[3]));
    else
        __stcs(to, v[0]);
}

/* @return a byte of a word, or all of them */
template <int VEC>
__device__ void ihist_unpack(const uint32_t *words, int bin, int32_t (&out)[VEC])
{
    if constexpr (VEC == 4) {
        const uint32_t w = words[bin / 4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            out[i] = w >> 8 * i & 0xff;
    } else {
        out[0] = words[bin / 4] >> 8 * (bin % 4) & 0xff;
    }
}

/* Read the bins of a tile's pixels. */
template <int SIDE>
__device__ void ihist_read(const ihist_launch_t &a, const ihist_place_t &p,
                           ihist_shared_t<SIDE> *s)
{
    const int height = static_cast<int>(a.shape.height);
    const int width = static_cast<int>(a.shape.width);
    const uint8_t *pixels = a.pixels + p.frame * (a.shape.height * a.shape.width);

#pragma unroll 4
    for (int k = threadIdx.x; k < SIDE * SIDE; k += IHIST_THREADS) {
        const int y = p.y * SIDE + k / SIDE, x = p.x * SIDE + k % SIDE;
        int bin = NO_BIN;

        if (y < height && x < width) {
            bin = pixels[static_cast<int64_t>(y) * width + x] *
                      static_cast<int>(a.shape.n_bins) / 256 -
                  p.first_bin;
            bin = bin < 0 || bin >= p.n_bins ? NO_BIN : bin;
        }
        s->bin[k / SIDE][k % SIDE] = static_cast<uint8_t>(bin);
    }
    __syncthreads();
}

/* Count the pixels of each row, and of its parts before each block of columns. */
template <int SIDE> __device__ void ihist_count_rows(ihist_shared_t<SIDE> *s)
{
    constexpr int BLOCKS = ihist_shared_t<SIDE>::BLOCKS;

    for (int k = threadIdx.x; k < SIDE * BLOCKS; k += IHIST_THREADS) {
        const int y = k / BLOCKS, block = k % BLOCKS;
        uint32_t *counts = s->before[y][block];

        for (int w = 0; w < IHIST_GROUP_WORDS; w++)
            counts[w] = 0;
        for (int j = 0; j < BLOCK_COLUMNS; j++) {
            const int bin = s->bin[y][block * BLOCK_COLUMNS + j];

            if (bin != NO_BIN)
                counts[bin / 4] += 1u << 8 * (bin % 4);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_WORDS; k += IHIST_THREADS) {
        const int y = k / IHIST_GROUP_WORDS, w = k % IHIST_GROUP_WORDS;
        uint32_t sum = 0;

        for (int block = 0; block < BLOCKS; block++) {
            const uint32_t n = s->before[y][block][w];

            s->before[y][block][w] = sum;
            sum += n;
        }
        s->row[y][w] = sum;
    }
    __syncthreads();
}

/* The columns, rows and bins of a thread. */
template <int SIDE, int VEC> struct ihist_unit_t {
    int band, block, bin;

    __device__ ihist_unit_t(int k, int n_bins)
    {
        constexpr int BLOCKS = ihist_shared_t<SIDE>::BLOCKS;
        const int lanes = n_bins / VEC;

        bin = k % lanes * VEC;
        block = k / lanes % BLOCKS;
        band = k / lanes / BLOCKS;
    }

    static __device__ int count(int n_bins)
    {
        return n_bins / VEC * ihist_shared_t<SIDE>::BLOCKS * ihist_shared_t<SIDE>::BANDS;
    }
};

/* Go down a thread's rows. @param sum  [BLOCK_COLUMNS] of what is above, added up
 * @param each  called for each column of each row, with its sum */
template <int SIDE, int VEC, typename EACH>
__device__ void ihist_go_down(const ihist_shared_t<SIDE> &s,
                              const ihist_unit_t<SIDE, VEC> &u,
                              int32_t (&sum)[BLOCK_COLUMNS][VEC], EACH each)
{
    constexpr int ROWS = ihist_shared_t<SIDE>::BAND_ROWS;

    for (int y = u.band * ROWS; y < (u.band + 1) * ROWS; y++) {
        const uint2 eight =
            *reinterpret_cast<const uint2 *>(&s.bin[y][u.block * BLOCK_COLUMNS]);
        int32_t row[VEC];

        ihist_unpack<VEC>(s.before[y][u.block], u.bin, row);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            row[i] += s.left[y][u.bin + i];
#pragma unroll
        for (int j = 0; j < BLOCK_COLUMNS; j++) {
            const int bin =
                static_cast<int>((j < 4 ? eight.x : eight.y) >> 8 * (j % 4) & 0xff) -
                u.bin;

#pragma unroll
            for (int i = 0; i < VEC; i++) {
                row[i] += bin == i;
                sum[j][i] += row[i];
            }
            each(y, j, sum[j], row);
        }
    }
}

/* Count the columns of each band, and sum them up within a block. */
template <int SIDE> __device__ void ihist_count_columns(ihist_shared_t<SIDE> *s)
{
    constexpr int BANDS = ihist_shared_t<SIDE>::BANDS;
    constexpr int BLOCKS = ihist_shared_t<SIDE>::BLOCKS;
    constexpr int ROWS = ihist_shared_t<SIDE>::BAND_ROWS;

    for (int k = threadIdx.x; k < BANDS * SIDE; k += IHIST_THREADS) {
        const int band = k / SIDE, x = k % SIDE;
        uint32_t *counts = s->column[band][x];

        for (int w = 0; w < IHIST_GROUP_WORDS; w++)
            counts[w] = 0;
        for (int y = band * ROWS; y < (band + 1) * ROWS; y++) {
            const int bin = s->bin[y][x];

            if (bin != NO_BIN)
                counts[bin / 4] += 1u << 8 * (bin % 4);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < BANDS * BLOCKS * IHIST_GROUP_WORDS;
         k += IHIST_THREADS) {
        const int w = k % IHIST_GROUP_WORDS, block = k / IHIST_GROUP_WORDS % BLOCKS;
        const int band = k / IHIST_GROUP_WORDS / BLOCKS;
        uint32_t sum = 0; /* no byte overflows: a block has ROWS x BLOCK_COLUMNS pixels */

        static_assert(ROWS * BLOCK_COLUMNS < 256, "a byte per bin");
        for (int x = block * BLOCK_COLUMNS; x < (block + 1) * BLOCK_COLUMNS; x++) {
            sum += s->column[band][x][w];
            for (int i = 0; i < 4; i++)
                s->band[band][x][w * 4 + i] = static_cast<uint16_t>(sum >> 8 * i & 0xff);
        }
    }
    __syncthreads();
}

/* Sum up the bands of a tile alone, before `left` and `above` are known. */
template <int SIDE> __device__ void ihist_sum_bands(ihist_shared_t<SIDE> *s)
{
    constexpr int BANDS = ihist_shared_t<SIDE>::BANDS;
    constexpr int BLOCKS = ihist_shared_t<SIDE>::BLOCKS;

    ihist_count_columns<SIDE>(s);
    for (int k = threadIdx.x; k < BANDS * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int band = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;
        int sum = 0;

        for (int block = 0; block < BLOCKS; block++) {
            s->before_block[band][block][b] = static_cast<uint16_t>(sum);
            sum += s->band[band][(block + 1) * BLOCK_COLUMNS - 1][b];
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < SIDE * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int x = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;
        int sum = 0;

        for (int band = 0; band < BANDS; band++) {
            sum += s->band[band][x][b] + s->before_block[band][x / BLOCK_COLUMNS][b];
            s->band[band][x][b] = static_cast<uint16_t>(sum);
        }
    }
    __syncthreads();
}

/* Sum up what is left of the bands, from `left`. */
template <int SIDE> __device__ void ihist_sum_left(ihist_shared_t<SIDE> *s)
{
    constexpr int BANDS = ihist_shared_t<SIDE>::BANDS;
    constexpr int ROWS = ihist_shared_t<SIDE>::BAND_ROWS;

    for (int k = threadIdx.x; k < BANDS * IHIST_GROUP_BINS; k += IHIST_THREADS) {
        const int band = k / IHIST_GROUP_BINS, b = k % IHIST_GROUP_BINS;
        int32_t sum = 0;

        for (int y = band * ROWS; y < (band + 1) * ROWS; y++)
            sum += s->left[y][b];
        s->band_left[band + 1][b] = sum;
    }
    __syncthreads();
    if (threadIdx.x < IHIST_GROUP_BINS) {
        s->band_left[0][threadIdx.x] = 0;
        for (int band = 1; band <= BANDS; band++)
            s->band_left[band][threadIdx.x] += s->band_left[band - 1][threadIdx.x];
    }
    __syncthreads();
}

/* The rows, columns and bins of a thread that fills: every fourth column of a run of
 * them, so that threads store neighbouring pixels at the same time. */
constexpr int IHIST_EVERY = 4, IHIST_RUN = IHIST_EVERY * BLOCK_COLUMNS;

/* @return a word with 1 in the byte of a bin; 0 if the bin is none of the word's
 * @param bin  counted from the first bin of the word, modulo 2^32 */
__device__ inline uint32_t ihist_one(uint32_t bin)
{
    uint32_t one;

    /* beyond 31, PTX shifts all bits out */
    asm("shl.b32 %0, 1, %1;" : "=r"(one) : "r"(bin * 8));
    return one;
}

/* Store all numbers of a tile, from `left` and `above`. */
template <int SIDE, int VEC>
__device__ void ihist_fill(const ihist_launch_t &a, const ihist_place_t &p,
                           const ihist_shared_t<SIDE> &s)
{
    constexpr int ROWS = ihist_shared_t<SIDE>::BAND_ROWS, RUNS = SIDE / IHIST_RUN;
    const int64_t row_values = a.shape.side * a.shape.n_bins;
    const int lanes = p.n_bins / VEC;

    for (int k = threadIdx.x; k < ihist_unit_t<SIDE, VEC>::count(p.n_bins);
         k += IHIST_THREADS) {
        const int bin = k % lanes * VEC, word = bin & ~3;
        const int column = k / lanes % IHIST_EVERY;
        const int run = k / lanes / IHIST_EVERY % RUNS;
        const int band = k / lanes / IHIST_EVERY / RUNS;
        const int first = run * IHIST_RUN + column;
        int32_t *to = ihist_at(a, p, p.y * SIDE + band * ROWS, p.x * SIDE + first, bin);
        int32_t sum[BLOCK_COLUMNS][VEC];

#pragma unroll
        for (int j = 0; j < BLOCK_COLUMNS; j++)
#pragma unroll
            for (int i = 0; i < VEC; i++)
                sum[j][i] =
                    s.above[first + j * IHIST_EVERY][bin + i] +
                    s.band_left[band][bin + i] +
                    (band > 0 ? s.band[band - 1][first + j * IHIST_EVERY][bin + i] : 0);
        for (int y = band * ROWS; y < (band + 1) * ROWS; y++, to += row_values) {
            const uint32_t *pixels =
                reinterpret_cast<const uint32_t *>(&s.bin[y][run * IHIST_RUN]);
            uint32_t before = s.before[y][run * (IHIST_RUN / BLOCK_COLUMNS)][word / 4];
            int32_t row[VEC], n[VEC];

#pragma unroll
            for (int i = 0; i < VEC; i++)
                row[i] = s.left[y][bin + i];
#pragma unroll
            for (int j = 0; j < BLOCK_COLUMNS; j++) {
                uint32_t own = 0;

#pragma unroll
                for (int c = 0; c < IHIST_EVERY; c++) {
                    before += ihist_one((pixels[j] >> 8 * c & 0xff) - word);
                    own = c == column ? before : own;
                }
                ihist_unpack<VEC>(&own, bin - word, n);
#pragma unroll
                for (int i = 0; i < VEC; i++)
                    n[i] = sum[j][i] += row[i] + n[i];
                ihist_store<VEC>(to + j * IHIST_EVERY * a.shape.n_bins, n);
            }
        }
    }
}
