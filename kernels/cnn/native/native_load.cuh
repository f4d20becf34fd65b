/*
 * native_load.cuh - what fills the tiles of the two operands.
 *
 * A thread always copies the same rows of a deep tile, or the same columns of a wide one,
 * so that it decodes pixels or taps once.  WIDTH is the number of elements in a copy: 16
 * bytes, or 1 where operands are not aligned.
 */
#pragma once

#include "kernels/cnn/native/native_tile.cuh"

template <typename T, int WIDTH>
__device__ inline void native_copy(T *to, const T *base, int element)
{
    const T *from = base + (element < 0 ? 0 : element);

    if (WIDTH == 1)
        native_copy_one(to, from, element >= 0);
    else
        native_copy_16(to, from, element >= 0);
}

/* Rows of pixels, gathered: operand a of forward and data. */
template <typename T, native_op_t OP, int WIDTH> struct native_gather_t {
    static constexpr bool DEEP = true;
    static constexpr int PER_ROW = NATIVE_DEPTH<T> / WIDTH;
    static constexpr int STEP = NATIVE_THREADS / PER_ROW, N = NATIVE_ROWS / STEP;
    const T *from;
    native_pixel_t pixels[N];

    __device__ void begin(const native_problem_t &p, int row0, int group)
    {
        from = static_cast<const T *>(p.a) + group * (OP == NATIVE_DATA ? p.k : p.c);
        for (int k = 0; k < N; k++) {
            const int row = row0 + int(threadIdx.x) / PER_ROW + k * STEP;

            pixels[k] = OP == NATIVE_DATA ? native_pixel_of_x(p, row)
                                          : native_pixel_of_y(p, row, p.rows);
        }
    }
    __device__ void load(const native_problem_t &p, T *tile, int depth0, int end) const
    {
        const int column = int(threadIdx.x) % PER_ROW * WIDTH, depth = depth0 + column;
        const native_tap_t tap =
            native_tap(p, unsigned(depth), OP == NATIVE_DATA ? p.by_k : p.by_c);

#pragma unroll
        for (int k = 0; k < N; k++) {
            const int row = int(threadIdx.x) / PER_ROW + k * STEP;

            native_copy<T, WIDTH>(&tile[row * NATIVE_DEEP_ROW<T> + column], from,
                                  depth < end ? native_element<OP>(p, pixels[k], tap)
                                              : -1);
        }
    }
};

/* Filters, a row each: operand b of forward. */
template <typename T, int COLUMNS, int WIDTH> struct native_filters_t {
    static constexpr bool DEEP = true;
    static constexpr int PER_ROW = NATIVE_DEPTH<T> / WIDTH;
    static constexpr int STEP = NATIVE_THREADS / PER_ROW, N = COLUMNS / STEP;
    const T *from;
    int row0;

    __device__ void begin(const native_problem_t &p, int column0, int group)
    {
        from = static_cast<const T *>(p.b) + int64_t(group) * p.k * p.depth;
        row0 = column0;
    }
    __device__ void load(const native_problem_t &p, T *tile, int depth0, int end) const
    {
        const int column = int(threadIdx.x) % PER_ROW * WIDTH, depth = depth0 + column;

#pragma unroll
        for (int k = 0; k < N; k++) {
            const int row = int(threadIdx.x) / PER_ROW + k * STEP;

            native_copy<T, WIDTH>(&tile[row * NATIVE_DEEP_ROW<T> + column], from,
                                  depth < end && row0 + row < p.columns
                                      ? (row0 + row) * p.depth + depth
                                      : -1);
        }
    }
};

/* Filters, a row per output and tap: operand b of data. */
template <typename T, int COLUMNS, int WIDTH> struct native_taps_t {
    static constexpr bool DEEP = false;
    static constexpr int PER_ROW = COLUMNS / WIDTH;
    static constexpr int STEP = NATIVE_THREADS / PER_ROW, N = NATIVE_DEPTH<T> / STEP;
    const T *from;
    int column0;

    __device__ void begin(const native_problem_t &p, int first, int group)
    {
        from =
            static_cast<const T *>(p.b) + int64_t(group) * p.k * p.tap_h * p.tap_w * p.c;
        column0 = first;
    }
    __device__ void load(const native_problem_t &p, T *tile, int depth0, int end) const
    {
        const int column = int(threadIdx.x) % PER_ROW * WIDTH;

#pragma unroll
        for (int k = 0; k < N; k++) {
            const int row = int(threadIdx.x) / PER_ROW + k * STEP;
            const unsigned depth = unsigned(depth0 + row);
            const unsigned tap = cnn_divide(depth, p.by_k);
            const int out = int(depth - tap * p.by_k.divisor);

            native_copy<T, WIDTH>(&tile[row * NATIVE_WIDE_ROW<T, COLUMNS> + column], from,
                                  int(depth) < end && column0 + column < p.columns
                                      ? (out * p.tap_h * p.tap_w + int(tap)) * p.c +
                                            column0 + column
                                      : -1);
        }
    }
};

/* dy, a row per pixel: operand a of filter. */
template <typename T, int WIDTH> struct native_gradients_t {
    static constexpr bool DEEP = false;
    static constexpr int PER_ROW = NATIVE_ROWS / WIDTH;
    static constexpr int STEP = NATIVE_THREADS / PER_ROW, N = NATIVE_DEPTH<T> / STEP;
    const T *from;
    int column0;

    __device__ void begin(const native_problem_t &p, int row0, int group)
    {
        from = static_cast<const T *>(p.a) + group * p.k;
        column0 = row0;
    }
    __device__ void load(const native_problem_t &p, T *tile, int depth0, int end) const
    {
        const int column = int(threadIdx.x) % PER_ROW * WIDTH;

#pragma unroll
        for (int k = 0; k < N; k++) {
            const int row = int(threadIdx.x) / PER_ROW + k * STEP;

            native_copy<T, WIDTH>(&tile[row * NATIVE_WIDE_ROW<T, NATIVE_ROWS> + column],
                                  from,
                                  depth0 + row < end && column0 + column < p.rows
                                      ? (depth0 + row) * p.k_all + column0 + column
                                      : -1);
        }
    }
};

/* x, a row per pixel of y, gathered: operand b of filter. */
template <typename T, int COLUMNS, int WIDTH> struct native_images_t {
    static constexpr bool DEEP = false;
    static constexpr int PER_ROW = COLUMNS / WIDTH;
    static constexpr int STEP = NATIVE_THREADS / PER_ROW, N = NATIVE_DEPTH<T> / STEP;
    const T *from;
    native_tap_t tap;
    bool exists;

    __device__ void begin(const native_problem_t &p, int column0, int group)
    {
        const int column = column0 + int(threadIdx.x) % PER_ROW * WIDTH;

        from = static_cast<const T *>(p.b) + group * p.c;
        tap = native_tap(p, unsigned(column), p.by_c);
        exists = column < p.columns;
    }
    __device__ void load(const native_problem_t &p, T *tile, int depth0, int end) const
    {
        const int column = int(threadIdx.x) % PER_ROW * WIDTH;

#pragma unroll
        for (int k = 0; k < N; k++) {
            const int row = int(threadIdx.x) / PER_ROW + k * STEP;
            const native_pixel_t pixel = native_pixel_of_y(p, depth0 + row, end);

            native_copy<T, WIDTH>(&tile[row * NATIVE_WIDE_ROW<T, COLUMNS> + column], from,
                                  exists ? native_element<NATIVE_FILTER>(p, pixel, tap)
                                         : -1);
        }
    }
};

/* The loaders of an operation */
template <typename T, native_op_t OP, int COLUMNS, int WIDTH> struct native_loaders_t;

template <typename T, int COLUMNS, int WIDTH>
struct native_loaders_t<T, NATIVE_FORWARD, COLUMNS, WIDTH> {
    typedef native_gather_t<T, NATIVE_FORWARD, WIDTH> a_t;
    typedef native_filters_t<T, COLUMNS, WIDTH> b_t;
};

template <typename T, int COLUMNS, int WIDTH>
struct native_loaders_t<T, NATIVE_DATA, COLUMNS, WIDTH> {
    typedef native_gather_t<T, NATIVE_DATA, WIDTH> a_t;
    typedef native_taps_t<T, COLUMNS, WIDTH> b_t;
};

template <typename T, int COLUMNS, int WIDTH>
struct native_loaders_t<T, NATIVE_FILTER, COLUMNS, WIDTH> {
    typedef native_gradients_t<T, WIDTH> a_t;
    typedef native_images_t<T, COLUMNS, WIDTH> b_t;
};
