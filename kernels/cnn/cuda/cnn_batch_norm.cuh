/*
 * cnn_batch_norm.cuh - what batch norms of a batch and of a part of it share.
 *
 * Sums for mean and variance are of differences from the channel's first element, which
 * keeps digits where the mean is large beside the deviation.
 */
#ifndef RIBOGRID_KERNELS_CNN_CUDA_CNN_BATCH_NORM_CUH
#define RIBOGRID_KERNELS_CNN_CUDA_CNN_BATCH_NORM_CUH

#include "kernels/cnn/cuda/cnn_channel_sums.cuh"
#include "kernels/cnn/cuda/cnn_layers.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_parts.h"
}

template <typename T> struct cnn_norm_moments_t {
    const T *x;
    unsigned per_channel; /* distance of the channels' first elements */

    __device__ float2 operator()(unsigned i, unsigned channel) const
    {
        const float d = cnn_load(&x[i]) - cnn_load(&x[channel * per_channel]);

        return make_float2(d, d * d);
    }
    /* @return mean and squares of deviations from it */
    __device__ cnn_pair_t whole(unsigned channel, double n, double sum,
                                double squares) const
    {
        const double difference = squares - sum / n * sum;
        cnn_pair_t m;

        m.first = sum / n + double(cnn_load(&x[channel * per_channel]));
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

template <typename T> struct cnn_norm_gradients_t {
    const T *x, *dy;
    const float *mean, *inverse;

    __device__ float2 operator()(unsigned i, unsigned channel) const
    {
        const float d = cnn_load(&dy[i]);

        return make_float2(d, d * (cnn_load(&x[i]) - mean[channel]) * inverse[channel]);
    }
};

/* Every element of a tensor with its channel: y[i] = f(i, channel) */
template <typename T, typename F>
__global__ void cnn_norm_kernel(T *y, int64_t n, unsigned c, unsigned per_channel, F f)
{
    constexpr int W = CNN_WIDTH<T>;
    const unsigned image = c * per_channel;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (int64_t i = thread; i < n / W; i += stride) {
        cnn_vector_t<T> v;
        unsigned in_image = unsigned(i * W % image);

        f.load(i);
        for (int k = 0; k < W; k++) {
            cnn_store(&v.v[k], f(k, in_image / per_channel));
            if (++in_image == image)
                in_image = 0;
        }
        reinterpret_cast<cnn_vector_t<T> *>(y)[i] = v;
    }
    for (int64_t i = n / W * W + thread; i < n; i += stride)
        cnn_store(&y[i], f.one(i, unsigned(i % image) / per_channel));
}

/* y = (x - mean) * inverse * scale + shift, with max(y, 0) where ReLU follows */
template <typename T, bool RELU> struct cnn_normalise_t {
    const T *x;
    const float *mean, *inverse, *scale, *shift;
    cnn_vector_t<T> v;

    __device__ void load(int64_t i)
    {
        v = reinterpret_cast<const cnn_vector_t<T> *>(x)[i];
    }
    __device__ float value(float a, unsigned c) const
    {
        const float y = (a - mean[c]) * inverse[c] * scale[c] + shift[c];

        return RELU && !(y > 0) ? 0 : y;
    }
    __device__ float operator()(int k, unsigned c) const
    {
        return value(cnn_load(&v.v[k]), c);
    }
    __device__ float one(int64_t i, unsigned c) const
    {
        return value(cnn_load(&x[i]), c);
    }
};

template <typename T> struct cnn_normalise_backward_t {
    const T *x, *dy;
    const float *mean, *inverse, *scale, *dscale, *dshift;
    float inverse_n;
    cnn_vector_t<T> v, d;

    __device__ void load(int64_t i)
    {
        v = reinterpret_cast<const cnn_vector_t<T> *>(x)[i];
        d = reinterpret_cast<const cnn_vector_t<T> *>(dy)[i];
    }
    __device__ float value(float a, float da, unsigned c) const
    {
        const float centred = (a - mean[c]) * inverse[c];

        return scale[c] * inverse[c] *
               (da - (dshift[c] + centred * dscale[c]) * inverse_n);
    }
    __device__ float operator()(int k, unsigned c) const
    {
        return value(cnn_load(&v.v[k]), cnn_load(&d.v[k]), c);
    }
    __device__ float one(int64_t i, unsigned c) const
    {
        return value(cnn_load(&x[i]), cnn_load(&dy[i]), c);
    }
};

static inline cnn_sums_shape_t cnn_norm_shape(const cnn_gpu_t *g, const cnn_tensor_t *t)
{
    const unsigned hw = unsigned(t->size[2] * t->size[3]);

    return {unsigned(t->size[0]), unsigned(t->size[1]), hw, g->channels_last || hw == 1};
}

template <typename T, typename F>
status_t cnn_norm_each(cnn_gpu_t *g, int y, F f, const cnn_lane_t *lane)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, y);
    const int64_t n = cnn_tensor_n(t);

    cnn_norm_kernel<<<cnn_blocks(n / CNN_WIDTH<T>), CNN_BLOCK, 0, lane->stream>>>(
        static_cast<T *>(g->at[y]), n, unsigned(t->size[1]),
        g->channels_last ? 1 : unsigned(t->size[2] * t->size[3]), f);
    return CUDA_TRY(cudaGetLastError());
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
    const T *x = cnn_norm_read<T>(g, s, 0);
    const float *scale = cnn_norm_read<float>(g, s, 1);
    const float *shift = cnn_norm_read<float>(g, s, 2);
    const float *mean = cnn_norm_written(g, s, 1), *inverse = cnn_norm_written(g, s, 2);
    const int y = cnn_gpu_step(g, last - 1)->writes[0];

    if (last - first == 2) {
        const cnn_normalise_t<T, true> f = {x, mean, inverse, scale, shift, {}};

        return cnn_norm_each<T>(g, y, f, lane);
    }
    const cnn_normalise_t<T, false> f = {x, mean, inverse, scale, shift, {}};

    return cnn_norm_each<T>(g, y, f, lane);
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

#endif
