/*
 * cnn_pool.cu - pooling.
 *
 * Forward a thread makes W neighbouring channels of a pixel of y, backward of one of dx:
 * there it visits the windows that contain the pixel, so that nothing is added
 * atomically. In NCHW every plane is an image of one channel, and W is 1.
 */
#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

/* Vectors are numbered as they are stored: image, row, column, vector of the pixel */
typedef struct {
    unsigned n_in, n_out; /* vectors of x and y */
    unsigned c;           /* vectors of a pixel */
    int h, w, out_h, out_w;
    int kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
    bool count_padding;
    cnn_divisor_t by_c, by_h, by_w, by_out_h, by_out_w, by_stride_h, by_stride_w;
} pooling_t;

typedef struct {
    unsigned image, c;
    int y, x;
} place_t;

__device__ place_t place_of(unsigned i, const cnn_divisor_t &by_c,
                            const cnn_divisor_t &by_h, const cnn_divisor_t &by_w)
{
    const unsigned pixel = cnn_divide(i, by_c), row = cnn_divide(pixel, by_w);
    place_t at;

    at.c = i - pixel * by_c.divisor;
    at.x = int(pixel - row * by_w.divisor);
    at.image = cnn_divide(row, by_h);
    at.y = int(row - at.image * by_h.divisor);
    return at;
}

typedef struct {
    int y0, y1, x0, x1; /* [y0, y1) x [x0, x1) inside the input */
} window_t;

__device__ window_t window_of(const pooling_t &p, int out_y, int out_x)
{
    const int y = out_y * p.stride_h - p.pad_h, x = out_x * p.stride_w - p.pad_w;

    return {max(y, 0), min(y + p.kernel_h, p.h), max(x, 0), min(x + p.kernel_w, p.w)};
}

__device__ float factor_of(const pooling_t &p, const window_t &v)
{
    return 1 / float(p.count_padding ? p.kernel_h * p.kernel_w
                                     : (v.y1 - v.y0) * (v.x1 - v.x0));
}

/* The first vector of a column of pixels that begins at an image's row */
__device__ unsigned row_of(const pooling_t &p, const place_t &at, int y)
{
    return (at.image * unsigned(p.h) + unsigned(y)) * unsigned(p.w) * p.c + at.c;
}

template <typename T, int W, bool MEAN>
__global__ void pool_kernel(const cnn_vector_t<T, W> *x, cnn_vector_t<T, W> *y,
                            pooling_t p)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n_out;
         i += gridDim.x * blockDim.x) {
        const place_t at = place_of(i, p.by_c, p.by_out_h, p.by_out_w);
        const window_t v = window_of(p, at.y, at.x);
        const float factor = MEAN ? factor_of(p, v) : 1;
        cnn_vector_t<T, W> out;
        float value[W];

        for (int k = 0; k < W; k++)
            value[k] = MEAN ? 0 : -INFINITY;
        for (int r = v.y0; r < v.y1; r++)
            for (int c = v.x0; c < v.x1; c++) {
                const cnn_vector_t<T, W> in = x[row_of(p, at, r) + unsigned(c) * p.c];

                for (int k = 0; k < W; k++) {
                    const float a = cnn_load(&in.v[k]);

                    value[k] =
                        MEAN ? value[k] + a : (a > value[k] || isnan(a) ? a : value[k]);
                }
            }
        for (int k = 0; k < W; k++)
            cnn_store(&out.v[k], value[k] * factor);
        y[i] = out;
    }
}

/* Keeps the bits of the channels whose value at (y, x) no earlier pixel of a window has.
 */
template <typename T, int W>
__device__ unsigned first_ones(const cnn_vector_t<T, W> *x, const pooling_t &p,
                               const place_t &at, const window_t &v, const float *value,
                               unsigned ones)
{
    for (int r = v.y0; r <= at.y; r++)
        for (int c = v.x0; c < (r == at.y ? at.x : v.x1) && ones != 0; c++) {
            const cnn_vector_t<T, W> other = x[row_of(p, at, r) + unsigned(c) * p.c];

            for (int k = 0; k < W; k++)
                ones &= ~(unsigned(cnn_load(&other.v[k]) == value[k]) << k);
        }
    return ones;
}

/* Add to sum what the gradient of window (out_y, out_x) gives a pixel. */
template <typename T, int W, bool MEAN>
__device__ void add_window(const cnn_vector_t<T, W> *x, const cnn_vector_t<T, W> *y,
                           const cnn_vector_t<T, W> *dy, const pooling_t &p,
                           const place_t &at, int out_y, int out_x, const float *value,
                           float *sum)
{
    const unsigned out_row = at.image * unsigned(p.out_h) + unsigned(out_y);
    const unsigned i = (out_row * unsigned(p.out_w) + unsigned(out_x)) * p.c + at.c;
    const window_t v = window_of(p, out_y, out_x);
    unsigned ones = 0;

    if (!MEAN) {
        const cnn_vector_t<T, W> largest = y[i];

        for (int k = 0; k < W; k++)
            ones |= unsigned(cnn_load(&largest.v[k]) == value[k]) << k;
        ones = first_ones(x, p, at, v, value, ones);
    }
    if (MEAN || ones != 0) {
        const cnn_vector_t<T, W> d = dy[i];
        const float factor = MEAN ? factor_of(p, v) : 1;

        for (int k = 0; k < W; k++)
            sum[k] += MEAN || (ones >> k & 1) != 0 ? cnn_load(&d.v[k]) * factor : 0;
    }
}

template <typename T, int W, bool MEAN>
__global__ void pool_backward_kernel(const cnn_vector_t<T, W> *x,
                                     const cnn_vector_t<T, W> *y,
                                     const cnn_vector_t<T, W> *dy, cnn_vector_t<T, W> *dx,
                                     pooling_t p)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n_in;
         i += gridDim.x * blockDim.x) {
        const place_t at = place_of(i, p.by_c, p.by_h, p.by_w);
        const int from_y = at.y + p.pad_h - p.kernel_h,
                  from_x = at.x + p.pad_w - p.kernel_w;
        const int y0 =
            from_y < 0 ? 0 : int(cnn_divide(unsigned(from_y), p.by_stride_h)) + 1;
        const int x0 =
            from_x < 0 ? 0 : int(cnn_divide(unsigned(from_x), p.by_stride_w)) + 1;
        const int y1 =
            min(int(cnn_divide(unsigned(at.y + p.pad_h), p.by_stride_h)), p.out_h - 1);
        const int x1 =
            min(int(cnn_divide(unsigned(at.x + p.pad_w), p.by_stride_w)), p.out_w - 1);
        cnn_vector_t<T, W> out;
        float value[W] = {}, sum[W] = {};

        if (!MEAN) {
            const cnn_vector_t<T, W> in = x[i];

            for (int k = 0; k < W; k++)
                value[k] = cnn_load(&in.v[k]);
        }
        for (int r = y0; r <= y1; r++)
            for (int c = x0; c <= x1; c++)
                add_window<T, W, MEAN>(x, y, dy, p, at, r, c, value, sum);
        for (int k = 0; k < W; k++)
            cnn_store(&out.v[k], sum[k]);
        dx[i] = out;
    }
}

/* @param width  channels of a vector */
pooling_t geometry(const cnn_gpu_t *g, const cnn_step_t *s, int x, int y, int width)
{
    const int64_t *in = cnn_gpu_tensor(g, x)->size, *out = cnn_gpu_tensor(g, y)->size;
    const cnn_pool_t *q = &s->params.pool;
    pooling_t p = {};

    p.n_in = unsigned(cnn_tensor_n(cnn_gpu_tensor(g, x)) / width);
    p.n_out = unsigned(cnn_tensor_n(cnn_gpu_tensor(g, y)) / width);
    p.c = g->channels_last ? unsigned(in[1] / width) : 1;
    p.h = int(in[2]);
    p.w = int(in[3]);
    p.out_h = int(out[2]);
    p.out_w = int(out[3]);
    p.kernel_h = q->kernel[0];
    p.kernel_w = q->kernel[1];
    p.stride_h = q->stride[0];
    p.stride_w = q->stride[1];
    p.pad_h = q->pad[0];
    p.pad_w = q->pad[1];
    p.count_padding = q->count_padding;
    p.by_c = cnn_divisor(p.c);
    p.by_h = cnn_divisor(unsigned(p.h));
    p.by_w = cnn_divisor(unsigned(p.w));
    p.by_out_h = cnn_divisor(unsigned(p.out_h));
    p.by_out_w = cnn_divisor(unsigned(p.out_w));
    p.by_stride_h = cnn_divisor(unsigned(p.stride_h));
    p.by_stride_w = cnn_divisor(unsigned(p.stride_w));
    return p;
}

template <typename T, int W, bool MEAN>
void launch_pool(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    typedef cnn_vector_t<T, W> vector_t;
    const pooling_t p = geometry(g, s, s->reads[0], s->writes[0], W);

    pool_kernel<T, W, MEAN><<<cnn_blocks(p.n_out), CNN_BLOCK, 0, stream>>>(
        static_cast<const vector_t *>(g->at[s->reads[0]]),
        static_cast<vector_t *>(g->at[s->writes[0]]), p);
}

template <typename T, int W, bool MEAN>
void launch_backward(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    typedef cnn_vector_t<T, W> vector_t;
    const pooling_t p = geometry(g, s, s->writes[0], s->reads[2], W);

    pool_backward_kernel<T, W, MEAN><<<cnn_blocks(p.n_in), CNN_BLOCK, 0, stream>>>(
        static_cast<const vector_t *>(g->at[s->reads[0]]),
        static_cast<const vector_t *>(g->at[s->reads[1]]),
        static_cast<const vector_t *>(g->at[s->reads[2]]),
        static_cast<vector_t *>(g->at[s->writes[0]]), p);
}

template <typename T, int W>
void launch(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    const bool forward = s->op == CNN_POOL, mean = s->params.pool.is_mean;

    if (forward && mean)
        launch_pool<T, W, true>(g, s, stream);
    else if (forward)
        launch_pool<T, W, false>(g, s, stream);
    else if (mean)
        launch_backward<T, W, true>(g, s, stream);
    else
        launch_backward<T, W, false>(g, s, stream);
}

template <typename T>
status_t run(cnn_gpu_t *g, const cnn_step_t *s, const cnn_lane_t *lane)
{
    const int64_t c = cnn_gpu_tensor(g, s->writes[0])->size[1];

    if (g->channels_last && c % CNN_WIDTH<T> == 0)
        launch<T, CNN_WIDTH<T>>(g, s, lane->stream);
    else
        launch<T, 1>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}

} // namespace

status_t cnn_pool(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    return cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16 ? run<bf16_t>(g, s, lane)
                                                             : run<float>(g, s, lane);
}
