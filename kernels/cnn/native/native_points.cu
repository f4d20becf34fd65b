/*
 * native_points.cu - the transforms: a thread takes a channel of a tile, or of a filter.
 */
#include "kernels/cnn/native/native_points.cuh"

#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

constexpr int SIZE = NATIVE_SIDE, TAPS = NATIVE_TAPS;
constexpr int POINTS = SIZE + TAPS - 1, ALL = NATIVE_POINTS;

/* ---- one dimension ---- */

/* Elements of an image at the points */
struct image_points_t {
    static constexpr int FROM = POINTS, TO = POINTS;
    static __device__ void apply(const float *x, float *y)
    {
        y[0] = x[0] - 1.5f * x[1] - 2 * x[2] + 1.5f * x[3] + x[4];
        y[1] = -x[1] + 0.5f * x[2] + 2.5f * x[3] + x[4];
        y[2] = x[1] - 2.5f * x[2] + 0.5f * x[3] + x[4];
        y[3] = 2 * (x[3] - x[1]) - x[2] + x[4];
        y[4] = 0.5f * (x[1] - x[3]) - x[2] + x[4];
        y[5] = x[1] - 1.5f * x[2] - 2 * x[3] + 1.5f * x[4] + x[5];
    }
};

/* Taps at the points */
struct filter_points_t {
    static constexpr int FROM = TAPS, TO = POINTS;
    static __device__ void apply(const float *x, float *y)
    {
        y[0] = x[0];
        y[1] = (x[0] + x[1] + x[2]) / 3;
        y[2] = (x[1] - x[0] - x[2]) / 3;
        y[3] = -(16 * x[0] + 8 * x[1] + 4 * x[2]) / 15;
        y[4] = (x[0] - 2 * x[1] + 4 * x[2]) / 15;
        y[5] = x[2];
    }
};

/* Its transpose: gradients of taps */
struct points_filter_t {
    static constexpr int FROM = POINTS, TO = TAPS;
    static __device__ void apply(const float *x, float *y)
    {
        const float third = (x[1] - x[2]) / 3;

        y[0] = x[0] + third + (x[4] - 16 * x[3]) / 15;
        y[1] = (x[1] + x[2]) / 3 - (8 * x[3] + 2 * x[4]) / 15;
        y[2] = third + 4 * (x[4] - x[3]) / 15 + x[5];
    }
};

/* Results */
struct points_image_t {
    static constexpr int FROM = POINTS, TO = SIZE;
    static __device__ void apply(const float *x, float *y)
    {
        y[0] = x[0] + x[1] + x[2] + x[3] + x[4];
        y[1] = x[1] - x[2] + 0.5f * x[3] - 2 * x[4];
        y[2] = x[1] + x[2] + 0.25f * x[3] + 4 * x[4];
        y[3] = x[1] - x[2] + 0.125f * x[3] - 8 * x[4] + x[5];
    }
};

/* Its transpose: gradients of results at the points */
struct gradient_points_t {
    static constexpr int FROM = SIZE, TO = POINTS;
    static __device__ void apply(const float *x, float *y)
    {
        y[0] = x[0];
        y[1] = x[0] + x[1] + x[2] + x[3];
        y[2] = x[0] - x[1] + x[2] - x[3];
        y[3] = x[0] + 0.5f * x[1] + 0.25f * x[2] + 0.125f * x[3];
        y[4] = x[0] - 2 * x[1] + 4 * x[2] - 8 * x[3];
        y[5] = x[3];
    }
};

/* ---- two dimensions ---- */

/* y[i * TO + j] of x[i * FROM + j] */
template <typename T>
__device__ inline void transform(const float (&x)[T::FROM * T::FROM],
                                 float (&y)[T::TO * T::TO])
{
    float half[T::TO][T::FROM];

#pragma unroll
    for (int j = 0; j < T::FROM; j++) {
        float from[T::FROM], to[T::TO];

#pragma unroll
        for (int i = 0; i < T::FROM; i++)
            from[i] = x[i * T::FROM + j];
        T::apply(from, to);
#pragma unroll
        for (int i = 0; i < T::TO; i++)
            half[i][j] = to[i];
    }
#pragma unroll
    for (int i = 0; i < T::TO; i++)
        T::apply(half[i], &y[i * T::TO]);
}

/* A channel of a tile */
typedef struct {
    int64_t image;  /* its first element of this channel */
    int64_t points; /* its first point */
    int y, x;
} place_t;

__device__ inline place_t place_of(const native_tiling_t &t, int64_t i)
{
    const unsigned tile = cnn_divide(unsigned(i), t.by_channels);
    const unsigned channel = unsigned(i) - tile * t.by_channels.divisor;
    const unsigned image = cnn_divide(tile, t.by_tiles);
    const unsigned rest = tile - image * t.by_tiles.divisor;
    const unsigned y = cnn_divide(rest, t.by_tiles_w);
    const unsigned x = rest - y * t.by_tiles_w.divisor;

    return {int64_t(image) * t.h * t.w * t.channels + channel,
            int64_t(tile) * ALL * t.channels + channel, int(y) * SIZE - t.pad_h,
            int(x) * SIZE - t.pad_w};
}

/* points[tile][point][channel] of T::FROM x T::FROM elements from each tile's first */
template <typename T>
__global__ void __launch_bounds__(CNN_BLOCK)
    to_points_kernel(const native_tiling_t t, const float *image, float *points)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < t.n;
         k += stride) {
        const place_t at = place_of(t, k);
        float x[T::FROM * T::FROM], y[ALL];

#pragma unroll
        for (int i = 0; i < T::FROM; i++)
#pragma unroll
            for (int j = 0; j < T::FROM; j++) {
                const int row = at.y + i, column = at.x + j;
                const bool exists =
                    unsigned(row) < unsigned(t.h) && unsigned(column) < unsigned(t.w);

                x[i * T::FROM + j] =
                    exists ? image[at.image + (int64_t(row) * t.w + column) * t.channels]
                           : 0;
            }
        transform<T>(x, y);
#pragma unroll
        for (int i = 0; i < ALL; i++)
            points[at.points + int64_t(i) * t.channels] = y[i];
    }
}

__global__ void __launch_bounds__(CNN_BLOCK)
    from_points_kernel(const native_tiling_t t, const float *points, const float *bias,
                       bool relu, float *image)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < t.n;
         k += stride) {
        const place_t at = place_of(t, k);
        const float add = bias != nullptr ? bias[k % t.channels] : 0;
        float x[ALL], y[SIZE * SIZE];

#pragma unroll
        for (int i = 0; i < ALL; i++)
            x[i] = points[at.points + int64_t(i) * t.channels];
        transform<points_image_t>(x, y);
#pragma unroll
        for (int i = 0; i < SIZE; i++)
#pragma unroll
            for (int j = 0; j < SIZE; j++) {
                const int row = at.y + i, column = at.x + j;
                const float sum = y[i * SIZE + j] + add;

                if (row < t.h && column < t.w)
                    image[at.image + (int64_t(row) * t.w + column) * t.channels] =
                        relu && !(sum > 0) ? 0 : sum;
            }
    }
}

/* points[point][out][in] of w[out][tap][in]; for the gradient of data the taps in reverse
 * order */
__global__ void __launch_bounds__(CNN_BLOCK)
    filter_points_kernel(int64_t n_filters, int c, bool reverse, const float *w,
                         float *points)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x, n = n_filters * c;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const float *from = w + i / c * TAPS * TAPS * c + i % c;
        float x[TAPS * TAPS], y[ALL];

#pragma unroll
        for (int tap = 0; tap < TAPS * TAPS; tap++)
            x[tap] = from[int64_t(reverse ? TAPS * TAPS - 1 - tap : tap) * c];
        transform<filter_points_t>(x, y);
#pragma unroll
        for (int k = 0; k < ALL; k++)
            points[k * n + i] = y[k];
    }
}

/* dw[out][tap][in] of the sum of sums[part][point][out][in], in the order of the parts */
__global__ void __launch_bounds__(CNN_BLOCK)
    points_filter_kernel(int64_t n_filters, int c, int n_parts, const float *sums,
                         float *dw)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x, n = n_filters * c;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        float x[ALL], y[TAPS * TAPS];

#pragma unroll
        for (int k = 0; k < ALL; k++)
            x[k] = 0;
        for (int part = 0; part < n_parts; part++)
#pragma unroll
            for (int k = 0; k < ALL; k++)
                x[k] += sums[(int64_t(part) * ALL + k) * n + i];
        transform<points_filter_t>(x, y);
#pragma unroll
        for (int tap = 0; tap < TAPS * TAPS; tap++)
            dw[(i / c * TAPS * TAPS + tap) * c + i % c] = y[tap];
    }
}

template <typename T>
status_t to_points(const native_tiling_t *t, const float *image, float *points,
                   cudaStream_t stream)
{
    to_points_kernel<T><<<cnn_blocks(t->n), CNN_BLOCK, 0, stream>>>(*t, image, points);
    return CUDA_TRY(cudaGetLastError());
}

} // namespace

status_t native_image_points(const native_tiling_t *t, const float *image, float *points,
                             cudaStream_t stream)
{
    return to_points<image_points_t>(t, image, points, stream);
}

status_t native_gradient_points(const native_tiling_t *t, const float *image,
                                float *points, cudaStream_t stream)
{
    return to_points<gradient_points_t>(t, image, points, stream);
}

status_t native_points_image(const native_tiling_t *t, const float *points,
                             const float *bias, bool relu, float *image,
                             cudaStream_t stream)
{
    from_points_kernel<<<cnn_blocks(t->n), CNN_BLOCK, 0, stream>>>(*t, points, bias, relu,
                                                                   image);
    return CUDA_TRY(cudaGetLastError());
}

status_t native_filter_points(int64_t n_filters, int c, bool reverse, const float *w,
                              float *points, cudaStream_t stream)
{
    filter_points_kernel<<<cnn_blocks(n_filters * c), CNN_BLOCK, 0, stream>>>(n_filters,
                                                                              c, reverse,
                                                                              w, points);
    return CUDA_TRY(cudaGetLastError());
}

status_t native_points_filter(int64_t n_filters, int c, int n_parts, const float *sums,
                              float *dw, cudaStream_t stream)
{
    points_filter_kernel<<<cnn_blocks(n_filters * c), CNN_BLOCK, 0, stream>>>(n_filters,
                                                                              c, n_parts,
                                                                              sums, dw);
    return CUDA_TRY(cudaGetLastError());
}
