/*
 * cnn_batch_norm.cuh - what batch norms of a batch and of a part of it share.
 *
 * Sums for mean and variance are of differences from the channel's first element, which
 * keeps digits where the mean is large beside the deviation.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_channel_sums.cuh"
#include "kernels/cnn/cuda/cnn_channels.cuh"
#include "kernels/cnn/cuda/cnn_layers.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_parts.h"
}

template <typename T> struct cnn_norm_moments_t {
    typedef float channel_t;
    const T *x;
    unsigned per_channel; /* distance of the channels' first elements */

    __device__ float channel(unsigned c) const
    {
        return cnn_load(&x[c * per_channel]);
    }
    __device__ float2 operator()(float first, float a, float) const
    {
        return make_float2(a - first, (a - first) * (a - first));
    }
    /* @return mean and squares of deviations from it */
    __device__ cnn_pair_t whole(unsigned channel, double n, double sum,
                                double squares) const
    {
        const double difference = squares - sum / n * sum;
        cnn_pair_t m;

        m.first = sum / n + double(this->channel(channel));
        m.second = difference > 0 ? difference : 0;
        return m;
    }
};

/* Where mean and deviation of n elements go */
typedef struct {
    double n, epsilon, momentum;
    float *mean, *inverse, *running_mean, *running_variance;

    __device__ void store(unsigned channel, cnn_pair_t of) const
    {
        const double unbiased = of.second / (n > 1 ? n - 1 : 1);

        mean[channel] = float(of.first);
        inverse[channel] = float(1 / sqrt(of.second / n + epsilon));
        running_mean[channel] =
            float((1 - momentum) * double(running_mean[channel]) + momentum * of.first);
        running_variance[channel] = float(
            (1 - momentum) * double(running_variance[channel]) + momentum * unbiased);
    }
} cnn_norm_saved_t;

struct cnn_norm_gradients_t {
    typedef float2 channel_t; /* mean, inverse deviation */
    const float *mean, *inverse;

    __device__ float2 channel(unsigned c) const
    {
        return make_float2(mean[c], inverse[c]);
    }
    __device__ float2 operator()(const float2 &c, float x, float dy) const
    {
        return make_float2(dy, dy * (x - c.x) * c.y);
    }
};

/* y = (x - mean) * inverse * scale + shift, with max(y, 0) where ReLU follows */
template <bool RELU> struct cnn_normalise_t {
    typedef float3 channel_t; /* mean, factor, shift */
    const float *mean, *inverse, *scale, *shift;

    __device__ float3 channel(unsigned c) const
    {
        return make_float3(mean[c], inverse[c] * scale[c], shift[c]);
    }
    __device__ float operator()(const float3 &c, float x, float) const
    {
        const float y = (x - c.x) * c.y + c.z;

        return RELU && !(y > 0) ? 0 : y;
    }
};

struct cnn_normalise_backward_t {
    typedef float4 channel_t; /* mean, factor, constant, slope */
    const float *mean, *inverse, *scale, *dscale, *dshift;
    float inverse_n;

    __device__ float4 channel(unsigned c) const
    {
        return make_float4(mean[c], scale[c] * inverse[c], dshift[c] * inverse_n,
                           inverse[c] * dscale[c] * inverse_n);
    }
    __device__ float operator()(const float4 &c, float x, float dy) const
    {
        return c.y * (dy - (c.z + (x - c.x) * c.w));
    }
};

static inline cnn_sums_shape_t cnn_norm_shape(const cnn_gpu_t *g, const cnn_tensor_t *t)
{
    const unsigned hw = unsigned(t->size[2] * t->size[3]);

    return {unsigned(t->size[0]), unsigned(t->size[1]), hw, g->channels_last || hw == 1};
}

template <typename T>
const T *cnn_norm_read(const cnn_gpu_t *g, const cnn_step_t *s, int k)
{
    return static_cast<const T *>(g->at[s->reads[k]]);
}

static inline float *cnn_norm_written(const cnn_gpu_t *g, const cnn_step_t *s, int k)
{
    return static_cast<float *>(g->at[s->writes[k]]);
}

static inline bool cnn_norm_is_bf16(const cnn_gpu_t *g, int step)
{
    return cnn_gpu_tensor(g, cnn_gpu_step(g, step)->reads[0])->type == CNN_BF16;
}

/* y after the moments of a whole batch are saved, with a ReLU that follows */
template <typename T>
status_t cnn_norm_apply(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);
    const T *x = cnn_norm_read<T>(g, s, 0);
    const float *scale = cnn_norm_read<float>(g, s, 1);
    const float *shift = cnn_norm_read<float>(g, s, 2);
    const float *mean = cnn_norm_written(g, s, 1), *inverse = cnn_norm_written(g, s, 2);
    void *y = g->at[cnn_gpu_step(g, last - 1)->writes[0]];

    if (last - first == 2) {
        const cnn_normalise_t<true> f = {mean, inverse, scale, shift};

        return cnn_map_channels<T>(g, t, x, x, y, f, lane->stream);
    }
    const cnn_normalise_t<false> f = {mean, inverse, scale, shift};

    return cnn_map_channels<T>(g, t, x, x, y, f, lane->stream);
}

/* Of n elements of each channel */
static inline cnn_norm_saved_t cnn_norm_saved(const cnn_gpu_t *g, const cnn_step_t *s,
                                              double n)
{
    return {n,
            s->params.batch_norm.epsilon,
            s->params.batch_norm.momentum,
            cnn_norm_written(g, s, 1),
            cnn_norm_written(g, s, 2),
            cnn_norm_written(g, s, 3),
            cnn_norm_written(g, s, 4)};
}
