/*
 * cnn_pool.cu - pooling.
 *
 * Forward a thread makes W neighbouring channels of a pixel of y, backward of one of dx:
 * there it visits the windows that contain the pixel, so that nothing is added
 * atomically. In NCHW every plane is an image of one channel, and W is 1.
 *
 * Backward of a maximum a pixel must know whether it is the first one of its windows with
 * the largest value.  In planes of one channel a block finds the place of every window's
 * maximum once, in shared memory, and its pixels look there; elsewhere every pixel reads
 * those before it.
 */
#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

#include <algorithm>

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

typedef struct {
    int first, last;
} span_t;

/* The windows along one axis that contain a pixel */
__device__ span_t windows_with(int at, int pad, int kernel,
                               const cnn_divisor_t &by_stride, int n)
{
    const int from = at + pad - kernel;

    return {from < 0 ? 0 : int(cnn_divide(unsigned(from), by_stride)) + 1,
            min(int(cnn_divide(unsigned(at + pad), by_stride)), n - 1)};
}

__device__ span_t rows_with(const pooling_t &p, int y)
{
    return windows_with(y, p.pad_h, p.kernel_h, p.by_stride_h, p.out_h);
}

__device__ span_t columns_with(const pooling_t &p, int x)
{
    return windows_with(x, p.pad_w, p.kernel_w, p.by_stride_w, p.out_w);
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
        const span_t rows = rows_with(p, at.y), columns = columns_with(p, at.x);
        cnn_vector_t<T, W> out;
        float value[W] = {}, sum[W] = {};

        if (!MEAN) {
            const cnn_vector_t<T, W> in = x[i];

            for (int k = 0; k < W; k++)
                value[k] = cnn_load(&in.v[k]);
        }
        for (int r = rows.first; r <= rows.last; r++)
            for (int c = columns.first; c <= columns.last; c++)
                add_window<T, W, MEAN>(x, y, dy, p, at, r, c, value, sum);
        for (int k = 0; k < W; k++)
            cnn_store(&out.v[k], sum[k]);
        dx[i] = out;
    }
}

/* ---- the gradient of a maximum, in planes of one channel ---- */

/* What a block has at a time: some rows of a plane, or some whole planes */
typedef struct {
    unsigned n_planes, planes, bands; /* all; of a tile; tiles of a plane */
    int rows;                         /* of pixels */
    unsigned n_windows;               /* at most, of a tile */
} tiles_t;

/* Of a window: where its first largest value is, row * w + column, or -1; its dy */
typedef struct {
    int where;
    float d;
} largest_t;

template <typename T>
__device__ largest_t largest_of(const T *x, float d, const pooling_t &p,
                                const window_t &v)
{
    largest_t best = {v.y0 < v.y1 && v.x0 < v.x1 ? v.y0 * p.w + v.x0 : -1, d};
    float value = -INFINITY;

    for (int r = v.y0; r < v.y1; r++)
        for (int c = v.x0; c < v.x1; c++) {
            const float a = cnn_load(&x[r * p.w + c]);

            if (a > value || isnan(a)) {
                value = a;
                best.where = isnan(a) ? -1 : r * p.w + c;
            }
        }
    return best;
}

/* A block's part of the planes; several planes are whole. */
typedef struct {
    unsigned plane, planes;
    int y, rows; /* of pixels */
    bool is_whole;
    span_t windows; /* rows of them */
    unsigned n_rows;
} tile_t;

__device__ tile_t tile_of(const pooling_t &p, const tiles_t &t)
{
    tile_t tile;

    tile.plane = blockIdx.x / t.bands * t.planes;
    tile.planes = min(t.planes, t.n_planes - tile.plane);
    tile.y = int(blockIdx.x % t.bands) * t.rows;
    tile.rows = min(t.rows, p.h - tile.y);
    tile.is_whole = t.bands == 1;
    tile.windows = {0, p.out_h - 1};
    if (!tile.is_whole)
        tile.windows = {rows_with(p, tile.y).first,
                        rows_with(p, tile.y + tile.rows - 1).last};
    tile.n_rows = unsigned(tile.windows.last + 1 - tile.windows.first);
    return tile;
}

/* The sum of what a plane's windows give its pixel (y, x) */
__device__ float sum_at(const largest_t *largest, const pooling_t &p, const tile_t &t,
                        int y, int x)
{
    const span_t rows = rows_with(p, y), columns = columns_with(p, x);
    const int at = y * p.w + x;
    float sum = 0;

    for (int r = rows.first; r <= rows.last; r++)
        for (int c = columns.first; c <= columns.last; c++) {
            const largest_t of = largest[(r - t.windows.first) * p.out_w + c];

            sum += of.where == at ? of.d : 0;
        }
    return sum;
}

template <typename T>
__global__ void max_backward_kernel(const T *x, const T *dy, T *dx, pooling_t p,
                                    tiles_t tiles)
{
    extern __shared__ largest_t largest[];
    const tile_t t = tile_of(p, tiles);
    const size_t size = size_t(p.h) * p.w, out_size = size_t(p.out_h) * p.out_w;

    for (unsigned i = threadIdx.x; i < t.planes * t.n_rows * p.out_w; i += blockDim.x) {
        const unsigned row = cnn_divide(i, p.by_out_w);
        const unsigned k = t.is_whole ? cnn_divide(row, p.by_out_h) : 0;
        const int r = t.windows.first + int(row - k * t.n_rows);
        const int c = int(i - row * p.out_w);
        const float d = cnn_load(&dy[(t.plane + k) * out_size + size_t(r) * p.out_w + c]);

        largest[i] = largest_of(x + (t.plane + k) * size, d, p, window_of(p, r, c));
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < t.planes * t.rows * p.w; i += blockDim.x) {
        const unsigned row = cnn_divide(i, p.by_w);
        const unsigned k = t.is_whole ? cnn_divide(row, p.by_h) : 0;
        const int at_y = t.y + int(row - k * p.h), at_x = int(i - row * p.w);

        cnn_store(&dx[(t.plane + k) * size + size_t(at_y) * p.w + at_x],
                  sum_at(&largest[k * t.n_rows * p.out_w], p, t, at_y, at_x));
    }
}

constexpr int TILE_PIXELS = 2048, TILE_BYTES = 48 << 10;

/* @return false where a tile's windows do not fit into shared memory */
bool tiles_of(const pooling_t &p, tiles_t *t)
{
    const int64_t size = int64_t(p.h) * p.w;
    int64_t rows;

    t->rows = std::min(std::max(TILE_PIXELS / p.w, 1), p.h);
    t->bands = unsigned((p.h + t->rows - 1) / t->rows);
    t->planes = t->bands == 1 ? unsigned(std::max(TILE_PIXELS / size, int64_t(1))) : 1;
    t->n_planes = unsigned(p.n_in / size);
    rows = t->bands == 1 ? p.out_h
                         : std::min(p.out_h, (t->rows + p.kernel_h - 1) / p.stride_h + 1);
    t->n_windows = unsigned(std::min(t->planes * rows * p.out_w, int64_t(TILE_BYTES)));
    return t->n_windows * sizeof(largest_t) <= TILE_BYTES;
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
    tiles_t t;

    if (!MEAN && W == 1 && p.c == 1 && tiles_of(p, &t)) {
        max_backward_kernel<T><<<(t.n_planes + t.planes - 1) / t.planes * t.bands,
                                 CNN_BLOCK, t.n_windows * sizeof(largest_t), stream>>>(
            static_cast<const T *>(g->at[s->reads[0]]),
            static_cast<const T *>(g->at[s->reads[2]]),
            static_cast<T *>(g->at[s->writes[0]]), p, t);
        return;
    }
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
