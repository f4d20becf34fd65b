/*
 * cnn_batch_norm.cu - batch norm, and sums per channel.
 *
 * Sums for mean and variance are of differences from the channel's first element, which
 * keeps digits where the mean is large beside the deviation.
 */
#include "kernels/cnn/cuda/cnn_channel_sums.cuh"
#include "kernels/cnn/cuda/cnn_layers.cuh"

namespace
{

template <typename T> struct sum_t {
    const T *x;

    __device__ float2 operator()(unsigned i, unsigned) const
    {
        return make_float2(cnn_load(&x[i]), 0);
    }
};

struct store_sum_t {
    float *sums;

    __device__ void operator()(unsigned channel, double sum, double) const
    {
        sums[channel] = float(sum);
    }
};

template <typename T> struct moments_t {
    const T *x;
    unsigned per_channel; /* distance of the channels' first elements */

    __device__ float2 operator()(unsigned i, unsigned channel) const
    {
        const float d = cnn_load(&x[i]) - cnn_load(&x[channel * per_channel]);

        return make_float2(d, d * d);
    }
};

template <typename T> struct store_moments_t {
    const T *x;
    unsigned per_channel;
    double n, epsilon, momentum;
    float *mean, *inverse, *running_mean, *running_variance;

    __device__ void operator()(unsigned channel, double sum, double squares) const
    {
        const double shifted = sum / n;
        const double m = shifted + double(cnn_load(&x[channel * per_channel]));
        const double difference = squares / n - shifted * shifted;
        const double variance = difference > 0 ? difference : 0;
        const double unbiased = n > 1 ? variance * n / (n - 1) : variance;

        mean[channel] = float(m);
        inverse[channel] = float(1 / sqrt(variance + epsilon));
        running_mean[channel] =
            float((1 - momentum) * double(running_mean[channel]) + momentum * m);
        running_variance[channel] = float(
            (1 - momentum) * double(running_variance[channel]) + momentum * unbiased);
    }
};

template <typename T> struct gradients_t {
    const T *x, *dy;
    const float *mean, *inverse;

    __device__ float2 operator()(unsigned i, unsigned channel) const
    {
        const float d = cnn_load(&dy[i]);

        return make_float2(d, d * (cnn_load(&x[i]) - mean[channel]) * inverse[channel]);
    }
};

struct store_gradients_t {
    float *dscale, *dshift;

    __device__ void operator()(unsigned channel, double sum, double product) const
    {
        dshift[channel] = float(sum);
        dscale[channel] = float(product);
    }
};

/* Every element of a tensor with its channel: y[i] = f(i, channel) */
template <typename T, typename F>
__global__ void channels_kernel(T *y, int64_t n, unsigned c, unsigned per_channel, F f)
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
template <typename T, bool RELU> struct normalise_t {
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

/* The same from a variance */
template <typename T> struct infer_t {
    const T *x;
    const float *mean, *variance, *scale, *shift;
    float epsilon;
    cnn_vector_t<T> v;

    __device__ void load(int64_t i)
    {
        v = reinterpret_cast<const cnn_vector_t<T> *>(x)[i];
    }
    __device__ float value(float a, unsigned c) const
    {
        return (a - mean[c]) / sqrtf(variance[c] + epsilon) * scale[c] + shift[c];
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

template <typename T> struct normalise_backward_t {
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

cnn_sums_shape_t shape_of(const cnn_gpu_t *g, const cnn_tensor_t *t)
{
    const unsigned hw = unsigned(t->size[2] * t->size[3]);

    return {unsigned(t->size[0]), unsigned(t->size[1]), hw, g->channels_last || hw == 1};
}

template <typename T, typename F>
status_t each(cnn_gpu_t *g, int y, F f, const cnn_lane_t *lane)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, y);
    const int64_t n = cnn_tensor_n(t);

    channels_kernel<<<cnn_blocks(n / CNN_WIDTH<T>), CNN_BLOCK, 0, lane->stream>>>(
        static_cast<T *>(g->at[y]), n, unsigned(t->size[1]),
        g->channels_last ? 1 : unsigned(t->size[2] * t->size[3]), f);
    return CUDA_TRY(cudaGetLastError());
}

template <typename T> const T *read(const cnn_gpu_t *g, const cnn_step_t *s, int k)
{
    return static_cast<const T *>(g->at[s->reads[k]]);
}

float *written(const cnn_gpu_t *g, const cnn_step_t *s, int k)
{
    return static_cast<float *>(g->at[s->writes[k]]);
}

template <typename T>
status_t forward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = shape_of(g, cnn_gpu_tensor(g, s->reads[0]));
    const T *x = read<T>(g, s, 0);
    const float *scale = read<float>(g, s, 1), *shift = read<float>(g, s, 2);
    const unsigned per_channel = g->channels_last ? 1 : shape.hw;
    const moments_t<T> moments = {x, per_channel};
    const store_moments_t<T> store = {x,
                                      per_channel,
                                      double(shape.n) * shape.hw,
                                      s->params.batch_norm.epsilon,
                                      s->params.batch_norm.momentum,
                                      written(g, s, 1),
                                      written(g, s, 2),
                                      written(g, s, 3),
                                      written(g, s, 4)};
    const int y = cnn_gpu_step(g, last - 1)->writes[0];
    const status_t st =
        cnn_channel_sums(moments, store, shape, lane->workspace, lane->stream);

    if (st != ST_OK)
        return st;
    if (last - first == 2) {
        const normalise_t<T, true> f = {x, store.mean, store.inverse, scale, shift, {}};

        return each<T>(g, y, f, lane);
    }
    const normalise_t<T, false> f = {x, store.mean, store.inverse, scale, shift, {}};

    return each<T>(g, y, f, lane);
}

template <typename T> status_t inference(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const infer_t<T> f = {read<T>(g, s, 0),
                          read<float>(g, s, 3),
                          read<float>(g, s, 4),
                          read<float>(g, s, 1),
                          read<float>(g, s, 2),
                          float(s->params.batch_norm.epsilon),
                          {}};

    return each<T>(g, s->writes[0], f, lane);
}

template <typename T> status_t backward(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = shape_of(g, cnn_gpu_tensor(g, s->reads[0]));
    const gradients_t<T> sums = {read<T>(g, s, 0), read<T>(g, s, 1), read<float>(g, s, 3),
                                 read<float>(g, s, 4)};
    const store_gradients_t store = {written(g, s, 1), written(g, s, 2)};
    const normalise_backward_t<T> f = {sums.x,
                                       sums.dy,
                                       sums.mean,
                                       sums.inverse,
                                       read<float>(g, s, 2),
                                       store.dscale,
                                       store.dshift,
                                       1 / (float(shape.n) * float(shape.hw)),
                                       {},
                                       {}};
    const status_t st =
        cnn_channel_sums(sums, store, shape, lane->workspace, lane->stream);

    return st == ST_OK ? each<T>(g, s->writes[0], f, lane) : st;
}

bool is_bf16(const cnn_gpu_t *g, int step)
{
    return cnn_gpu_tensor(g, cnn_gpu_step(g, step)->reads[0])->type == CNN_BF16;
}

} // namespace

status_t cnn_batch_norm(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    return is_bf16(g, first) ? forward<bf16_t>(g, first, last, lane)
                             : forward<float>(g, first, last, lane);
}

status_t cnn_batch_norm_inference(cnn_gpu_t *g, int first, int last,
                                  const cnn_lane_t *lane)
{
    (void)last;
    return is_bf16(g, first) ? inference<bf16_t>(g, first, lane)
                             : inference<float>(g, first, lane);
}

status_t cnn_batch_norm_backward(cnn_gpu_t *g, int first, int last,
                                 const cnn_lane_t *lane)
{
    (void)last;
    return is_bf16(g, first) ? backward<bf16_t>(g, first, lane)
                             : backward<float>(g, first, lane);
}

size_t cnn_sums_bytes(const cnn_tensor_t *t)
{
    cnn_sums_shape_t s = {unsigned(t->size[0]), unsigned(t->size[1]),
                          unsigned(t->size[2] * t->size[3]), false};
    const unsigned planes = cnn_sums_parts(s);

    s.channels_last = true;
    const unsigned columns = cnn_sums_parts(s);

    return size_t(s.c) * (planes > columns ? planes : columns) * sizeof(float2);
}

status_t cnn_sums(cnn_gpu_t *g, int x, float *sums, const cnn_lane_t *lane)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, x);
    const store_sum_t store = {sums};

    if (t->type == CNN_BF16)
        return cnn_channel_sums(sum_t<bf16_t>{static_cast<const bf16_t *>(g->at[x])},
                                store, shape_of(g, t), lane->workspace, lane->stream);
    return cnn_channel_sums(sum_t<float>{static_cast<const float *>(g->at[x])}, store,
                            shape_of(g, t), lane->workspace, lane->stream);
}
