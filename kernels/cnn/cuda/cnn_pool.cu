/*
 * cnn_pool.cu - pooling.
 *
 * Forward a thread makes an element of y, backward one of dx: it visits the windows that
 * contain the element, so that nothing is added atomically.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

typedef struct {
    unsigned n, c, h, w, out_h, out_w;
    bool channels_last, is_mean, count_padding;
    int kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
} pool_t;

/* Of an element of a tensor of height h and width w */
typedef struct {
    unsigned image, channel;
    int y, x;
} place_t;

__device__ place_t place_of(const pool_t &p, unsigned i, unsigned h, unsigned w)
{
    place_t at;

    if (p.channels_last) {
        at.channel = i % p.c;
        i /= p.c;
        at.x = int(i % w);
        i /= w;
        at.y = int(i % h);
        at.image = i / h;
    } else {
        at.x = int(i % w);
        i /= w;
        at.y = int(i % h);
        i /= h;
        at.channel = i % p.c;
        at.image = i / p.c;
    }
    return at;
}

/* First element of a plane, and the distance of its pixels */
__device__ unsigned plane_of(const pool_t &p, const place_t &at, unsigned h, unsigned w)
{
    return p.channels_last ? at.image * h * w * p.c + at.channel
                           : (at.image * p.c + at.channel) * h * w;
}

typedef struct {
    int y0, y1, x0, x1; /* [y0, y1) x [x0, x1) inside the input */
} window_t;

__device__ window_t window_of(const pool_t &p, int out_y, int out_x)
{
    const int y = out_y * p.stride_h - p.pad_h, x = out_x * p.stride_w - p.pad_w;

    return {max(y, 0), min(y + p.kernel_h, int(p.h)), max(x, 0),
            min(x + p.kernel_w, int(p.w))};
}

__device__ float divisor_of(const pool_t &p, const window_t &v)
{
    return float(p.count_padding ? p.kernel_h * p.kernel_w
                                 : (v.y1 - v.y0) * (v.x1 - v.x0));
}

template <typename T> __global__ void pool_kernel(const T *x, T *y, pool_t p)
{
    const unsigned n = p.n * p.c * p.out_h * p.out_w;
    const unsigned pixel = p.channels_last ? p.c : 1;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        const place_t at = place_of(p, i, p.out_h, p.out_w);
        const window_t v = window_of(p, at.y, at.x);
        const T *plane = x + plane_of(p, at, p.h, p.w);
        float sum = 0, largest = -INFINITY;

        for (int r = v.y0; r < v.y1; r++)
            for (int c = v.x0; c < v.x1; c++) {
                const float value = cnn_load(&plane[(unsigned(r) * p.w + c) * pixel]);

                sum += value;
                largest = value > largest || isnan(value) ? value : largest;
            }
        cnn_store(&y[i], p.is_mean ? sum / divisor_of(p, v) : largest);
    }
}

/* Whether an element, which equals its window's maximum, is the first that does */
template <typename T>
__device__ bool is_first(const T *plane, const pool_t &p, const window_t &v, int y, int x,
                         float largest)
{
    const unsigned pixel = p.channels_last ? p.c : 1;

    for (int r = v.y0; r <= y; r++)
        for (int c = v.x0; c < (r == y ? x : v.x1); c++)
            if (cnn_load(&plane[(unsigned(r) * p.w + c) * pixel]) == largest)
                return false;
    return true;
}

template <typename T>
__global__ void pool_backward_kernel(const T *x, const T *y, const T *dy, T *dx, pool_t p)
{
    const unsigned n = p.n * p.c * p.h * p.w;
    const unsigned pixel = p.channels_last ? p.c : 1;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        const place_t at = place_of(p, i, p.h, p.w);
        const unsigned out = plane_of(p, at, p.out_h, p.out_w);
        const int from_y = at.y + p.pad_h - p.kernel_h,
                  from_x = at.x + p.pad_w - p.kernel_w;
        const int y0 = from_y < 0 ? 0 : from_y / p.stride_h + 1;
        const int x0 = from_x < 0 ? 0 : from_x / p.stride_w + 1;
        const int y1 = min((at.y + p.pad_h) / p.stride_h, int(p.out_h) - 1);
        const int x1 = min((at.x + p.pad_w) / p.stride_w, int(p.out_w) - 1);
        const float value = p.is_mean ? 0 : cnn_load(&x[i]);
        float sum = 0;

        for (int r = y0; r <= y1; r++)
            for (int c = x0; c <= x1; c++) {
                const unsigned k = out + (unsigned(r) * p.out_w + c) * pixel;

                if (p.is_mean)
                    sum += cnn_load(&dy[k]) / divisor_of(p, window_of(p, r, c));
                else if (cnn_load(&y[k]) == value &&
                         is_first(x + plane_of(p, at, p.h, p.w), p, window_of(p, r, c),
                                  at.y, at.x, value))
                    sum += cnn_load(&dy[k]);
            }
        cnn_store(&dx[i], sum);
    }
}

pool_t geometry(const cnn_gpu_t *g, const cnn_step_t *s, int x, int y)
{
    const int64_t *in = cnn_gpu_tensor(g, x)->size, *out = cnn_gpu_tensor(g, y)->size;
    const cnn_pool_t *q = &s->params.pool;

    return {unsigned(in[0]),  unsigned(in[1]),  unsigned(in[2]),  unsigned(in[3]),
            unsigned(out[2]), unsigned(out[3]), g->channels_last, q->is_mean,
            q->count_padding, q->kernel[0],     q->kernel[1],     q->stride[0],
            q->stride[1],     q->pad[0],        q->pad[1]};
}

template <typename T>
void launch_pool(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    pool_kernel<<<cnn_blocks(cnn_tensor_n(cnn_gpu_tensor(g, s->writes[0]))), CNN_BLOCK, 0,
                  stream>>>(static_cast<const T *>(g->at[s->reads[0]]),
                            static_cast<T *>(g->at[s->writes[0]]),
                            geometry(g, s, s->reads[0], s->writes[0]));
}

template <typename T>
void launch_pool_backward(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    pool_backward_kernel<<<cnn_blocks(cnn_tensor_n(cnn_gpu_tensor(g, s->writes[0]))),
                           CNN_BLOCK, 0, stream>>>(
        static_cast<const T *>(g->at[s->reads[0]]),
        static_cast<const T *>(g->at[s->reads[1]]),
        static_cast<const T *>(g->at[s->reads[2]]), static_cast<T *>(g->at[s->writes[0]]),
        geometry(g, s, s->writes[0], s->reads[2]));
}

} // namespace

status_t cnn_pool(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    if (cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16)
        launch_pool<bf16_t>(g, s, lane->stream);
    else
        launch_pool<float>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}

status_t cnn_pool_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    if (cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16)
        launch_pool_backward<bf16_t>(g, s, lane->stream);
    else
        launch_pool_backward<float>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}
