/*
 * cnn_pointwise.cu - ReLU, sums, dropout, biases.
 */
#include "kernels/cnn/cuda/cnn_channels.cuh"
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

template <bool RELU> struct add_bias_t {
    typedef float channel_t;
    const float *bias;

    __device__ float channel(unsigned c) const
    {
        return bias[c];
    }
    __device__ float operator()(float b, float y, float) const
    {
        return RELU && !(y + b > 0) ? 0 : y + b;
    }
};

template <typename T, bool RELU>
status_t add_bias(const cnn_gpu_t *g, int y, int bias, cudaStream_t stream)
{
    const add_bias_t<RELU> f = {static_cast<const float *>(g->at[bias])};
    void *at = g->at[y];

    return cnn_map_channels<T>(g, cnn_gpu_tensor(g, y), at, at, at, f, stream);
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
    if (cnn_gpu_tensor(g, y)->type == CNN_BF16)
        return relu ? add_bias<bf16_t, true>(g, y, bias, lane->stream)
                    : add_bias<bf16_t, false>(g, y, bias, lane->stream);
    return relu ? add_bias<float, true>(g, y, bias, lane->stream)
                : add_bias<float, false>(g, y, bias, lane->stream);
}
