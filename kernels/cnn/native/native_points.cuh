/*
 * native_points.cuh - tiles of images and filters of 3 x 3 taps to their values at
 * points, and back: the transforms of native_winograd.cuh.
 *
 * All tensors are 32-bit floats, channels last; points are [tile][36][channel] of images
 * and [36][out][in] of filters.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/device/cuda_try.cuh"

/* Of a tile: results along a side, and those with the elements around them */
constexpr int NATIVE_TAPS = 3, NATIVE_SIDE = 4, NATIVE_POINTS = 36;

/* Tiles of images; threads count through channels first. */
typedef struct {
    int h, w, channels;
    int pad_h, pad_w; /* before the first tile */
    int64_t n;        /* tiles times channels: below 2^31 */
    cnn_divisor_t by_channels, by_tiles_w, by_tiles;
} native_tiling_t;

/* What a convolution reads: tiles of 6 x 6 elements, every four */
status_t native_image_points(const native_tiling_t *t, const float *image, float *points,
                             cudaStream_t stream);

/* Gradients of what it writes: tiles of 4 x 4, no padding */
status_t native_gradient_points(const native_tiling_t *t, const float *image,
                                float *points, cudaStream_t stream);

/* What it writes. @param bias  [channels] or NULL */
status_t native_points_image(const native_tiling_t *t, const float *points,
                             const float *bias, bool relu, float *image,
                             cudaStream_t stream);

/* @param reverse  take the taps in reverse order, as the gradient of data needs them
 * @param w        [n_filters][tap][c] */
status_t native_filter_points(int64_t n_filters, int c, bool reverse, const float *w,
                              float *points, cudaStream_t stream);

/* Gradients of filters. @param sums  [n_parts][36][n_filters][c], added in this order */
status_t native_points_filter(int64_t n_filters, int c, int n_parts, const float *sums,
                              float *dw, cudaStream_t stream);
