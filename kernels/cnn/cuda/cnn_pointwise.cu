/*
 * cnn_pointwise.cu - ReLU, sums, dropout, biases.
 */
#include "kernels/cnn/cuda/cnn_pointwise.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_draw.h"
}

namespace
{

template <typename F>
status_t map(cnn_gpu_t *g, int a, int b, int y, F f, const cnn_lane_t *lane)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, y);

    return t->type == CNN_BF16 ? cnn_map<bf16_t>(g->at[a], g->at[b], g->at[y],
                                                 cnn_tensor_n(t), f, lane->stream)
                               : cnn_map<float>(g->at[a], g->at[b], g->at[y],
                                                cnn_tensor_n(t), f, lane->stream);
}

struct relu_t {
    __device__ float operator()(float x, float) const
    {
        return x > 0 ? x : 0;
    }
};

struct relu_backward_t {
    __device__ float operator()(float y, float dy) const
    {
        return y > 0 ? dy : 0;
    }
};

struct add_t {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};

/* An element's place in storage -> its number in NCHW order. */
__device__ int64_t nchw_number(int64_t i, int64_t c, int64_t hw, bool channels_last)
{
    int64_t image, rest;

    if (!channels_last || c == 1 || hw == 1)
        return i;
    image = i / (c * hw);
    rest = i % (c * hw);
    return image * c * hw + rest % c * hw + rest / c;
}

typedef struct {
    int64_t n, c, hw;
    bool channels_last;
    uint32_t stream, limit;
    float factor;
} dropout_t;

template <typename T>
__global__ void dropout_kernel(const T *x, T *y, dropout_t d, const cnn_iteration_t *now)
{
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t first = now->first_image * d.c * d.hw;
    const uint64_t seed = now->seed;
    const int64_t iteration = now->iteration;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < d.n;
         i += stride) {
        const int64_t element = first + nchw_number(i, d.c, d.hw, d.channels_last);
        const bool dropped =
            cnn_draw(seed, d.stream, iteration, uint64_t(element)) < d.limit;

        cnn_store(&y[i], dropped ? 0 : cnn_load(&x[i]) * d.factor);
    }
}

/* A thread changes elements of one image; per_channel: hw, or 1 in NHWC */
template <typename T, bool RELU>
__global__ void bias_kernel(T *y, const float *bias, int64_t n, unsigned c,
                            unsigned per_channel)
{
    constexpr int W = CNN_WIDTH<T>;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned image = c * per_channel;

    for (int64_t i = thread; i < n / W; i += stride) {
        cnn_vector_t<T> v = reinterpret_cast<cnn_vector_t<T> *>(y)[i];
        unsigned in_image = unsigned(i * W % image);

        for (int k = 0; k < W; k++) {
            const float sum = cnn_load(&v.v[k]) + bias[in_image / per_channel];

            cnn_store(&v.v[k], RELU && !(sum > 0) ? 0 : sum);
            if (++in_image == image)
                in_image = 0;
        }
        reinterpret_cast<cnn_vector_t<T> *>(y)[i] = v;
    }
    for (int64_t i = n / W * W + thread; i < n; i += stride) {
        const float sum = cnn_load(&y[i]) + bias[unsigned(i % image) / per_channel];

        cnn_store(&y[i], RELU && !(sum > 0) ? 0 : sum);
    }
}

template <typename T>
void launch_bias(void *y, const float *bias, bool relu, int64_t n, unsigned c,
                 unsigned per_channel, cudaStream_t stream)
{
    const unsigned blocks = cnn_blocks(n / CNN_WIDTH<T>);
    T *at = static_cast<T *>(y);

    if (relu)
        bias_kernel<T, true>
            <<<blocks, CNN_BLOCK, 0, stream>>>(at, bias, n, c, per_channel);
    else
        bias_kernel<T, false>
            <<<blocks, CNN_BLOCK, 0, stream>>>(at, bias, n, c, per_channel);
}

} // namespace

status_t cnn_relu(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    return map(g, s->reads[0], s->reads[0], s->writes[0], relu_t{}, lane);
}

status_t cnn_relu_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    return map(g, s->reads[0], s->reads[1], s->writes[0], relu_backward_t{}, lane);
}

status_t cnn_add(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    return map(g, s->reads[0], s->reads[1], s->writes[0], add_t{}, lane);
}

/* Forward and backward are the same, on x or on dy. */
status_t cnn_dropout(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->writes[0]);
    const void *x = g->at[s->reads[0]];
    void *y = g->at[s->writes[0]];
    const unsigned blocks = cnn_blocks(cnn_tensor_n(t));
    dropout_t d;

    (void)last;
    d.n = cnn_tensor_n(t);
    d.c = t->size[1];
    d.hw = t->size[2] * t->size[3];
    d.channels_last = g->channels_last;
    d.stream = uint32_t(s->params.dropout.layer);
    d.limit = cnn_draw_limit(s->params.dropout.p);
    d.factor = float(1 / (1 - s->params.dropout.p));
    if (t->type == CNN_BF16)
        dropout_kernel<<<blocks, CNN_BLOCK, 0, lane->stream>>>(
            static_cast<const bf16_t *>(x), static_cast<bf16_t *>(y), d, g->iteration);
    else
        dropout_kernel<<<blocks, CNN_BLOCK, 0, lane->stream>>>(
            static_cast<const float *>(x), static_cast<float *>(y), d, g->iteration);
    return CUDA_TRY(cudaGetLastError());
}

status_t cnn_bias(cnn_gpu_t *g, int y, int bias, bool relu, const cnn_lane_t *lane)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, y);
    const unsigned c = unsigned(t->size[1]);
    const unsigned per_channel = g->channels_last ? 1 : unsigned(t->size[2] * t->size[3]);
    const float *b = static_cast<const float *>(g->at[bias]);

    if (t->type == CNN_BF16)
        launch_bias<bf16_t>(g->at[y], b, relu, cnn_tensor_n(t), c, per_channel,
                            lane->stream);
    else
        launch_bias<float>(g->at[y], b, relu, cnn_tensor_n(t), c, per_channel,
                           lane->stream);
    return CUDA_TRY(cudaGetLastError());
}
