/*
 * native_tile.cuh - tiles of operands in shared memory, and copies into them.
 *
 * A tile is 128 bytes deep.  An operand whose depth is contiguous in memory keeps its
 * rows
 * ("deep"), another one has a row per step of the depth ("wide").  Rows are padded so
 * that neither reads of fragments nor copies meet in a bank.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_vector.cuh"
#include "kernels/cnn/native/native_problem.cuh"

constexpr int NATIVE_THREADS = 256;

/* Elements of a tile's depth */
template <typename T> constexpr int NATIVE_DEPTH = 128 / int(sizeof(T));

template <typename T> constexpr int NATIVE_DEEP_ROW = NATIVE_DEPTH<T> + CNN_WIDTH<T>;
template <typename T, int N>
constexpr int NATIVE_WIDE_ROW = N + (sizeof(T) == 4 ? 8 : CNN_WIDTH<T>);

/* Elements of a tile with N rows or columns */
template <typename T, int N, bool DEEP>
constexpr int NATIVE_TILE =
    DEEP ? N *NATIVE_DEEP_ROW<T> : NATIVE_DEPTH<T> *NATIVE_WIDE_ROW<T, N>;

/* Copy 16 bytes, or zeros. */
__device__ inline void native_copy_16(void *to, const void *from, bool exists)
{
    const unsigned at = unsigned(__cvta_generic_to_shared(to));

    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
                 "r"(exists ? 16 : 0));
}

__device__ inline void native_copy_one(float *to, const float *from, bool exists)
{
    const unsigned at = unsigned(__cvta_generic_to_shared(to));

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from),
                 "r"(exists ? 4 : 0));
}

/* There are no asynchronous copies of 2 bytes. */
__device__ inline void native_copy_one(bf16_t *to, const bf16_t *from, bool exists)
{
    *to = exists ? *from : __float2bfloat16_rn(0);
}

__device__ inline void native_copies_begun(void)
{
    asm volatile("cp.async.commit_group;");
}

/* Wait until at most N groups of copies are under way. */
template <int N> __device__ inline void native_copies_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N));
}

/* A pixel of the operand that is gathered, as the coordinates of tap 0 */
typedef struct {
    int base; /* first element of its image; -1: no such pixel */
    int y, x;
} native_pixel_t;

/* A tap and a channel */
typedef struct {
    int y, x, c;
} native_tap_t;

/* The tap of a number in the order tap, channel */
__device__ inline native_tap_t native_tap(const native_problem_t &p, unsigned number,
                                          const cnn_divisor_t &by_channels)
{
    const unsigned tap = cnn_divide(number, by_channels);
    const unsigned y = cnn_divide(tap, p.by_tap_w);

    return {int(y), int(tap - y * unsigned(p.tap_w)),
            int(number - tap * by_channels.divisor)};
}

/* Pixels of y (forward, filter), which read x */
__device__ inline native_pixel_t native_pixel_of_y(const native_problem_t &p, int number,
                                                   int n_pixels)
{
    const unsigned image = cnn_divide(unsigned(number), p.by_out_hw);
    const unsigned rest = unsigned(number) - image * p.by_out_hw.divisor;
    const unsigned y = cnn_divide(rest, p.by_out_w);
    const int x = int(rest - y * p.by_out_w.divisor);

    if (number >= n_pixels)
        return {-1, 0, 0};
    return {int(image) * p.h * p.w * p.c_all, int(y) * p.stride_h - p.pad_h,
            x * p.stride_w - p.pad_w};
}

/* Pixels of x (data), which read dy */
__device__ inline native_pixel_t native_pixel_of_x(const native_problem_t &p, int number)
{
    const unsigned image = cnn_divide(unsigned(number), p.by_hw);
    const unsigned rest = unsigned(number) - image * p.by_hw.divisor;
    const unsigned y = cnn_divide(rest, p.by_w);
    const int x = int(rest - y * p.by_w.divisor);

    if (number >= p.rows)
        return {-1, 0, 0};
    return {int(image) * p.out_h * p.out_w * p.k_all, int(y) + p.pad_h, x + p.pad_w};
}

/* The element that a pixel sees at a tap. @return -1 if that is padding */
template <native_op_t OP>
__device__ inline int native_element(const native_problem_t &p,
                                     const native_pixel_t &pixel, const native_tap_t &tap)
{
    if (pixel.base < 0)
        return -1;
    if (OP == NATIVE_DATA) {
        int y = pixel.y - tap.y, x = pixel.x - tap.x;

        if (p.stride_h > 1 || p.stride_w > 1) {
            if (y < 0 || x < 0 || y % p.stride_h != 0 || x % p.stride_w != 0)
                return -1;
            y /= p.stride_h;
            x /= p.stride_w;
        }
        if (unsigned(y) >= unsigned(p.out_h) || unsigned(x) >= unsigned(p.out_w))
            return -1;
        return pixel.base + (y * p.out_w + x) * p.k_all + tap.c;
    }
    const int y = pixel.y + tap.y, x = pixel.x + tap.x;

    if (unsigned(y) >= unsigned(p.h) || unsigned(x) >= unsigned(p.w))
        return -1;
    return pixel.base + (y * p.w + x) * p.c_all + tap.c;
}
