/*
 * cnn_batch_norm.cu - batch norm, and sums per channel.
 */
#include "kernels/cnn/cuda/cnn_batch_norm.cuh"

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

template <typename T> struct store_moments_t {
    cnn_norm_moments_t<T> of;
    cnn_norm_saved_t saved;

    __device__ void operator()(unsigned channel, double sum, double squares) const
    {
        const cnn_pair_t whole = of.whole(channel, saved.n, sum, squares);

        saved.store(channel, whole);
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

/* y from the running averages */
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

template <typename T>
status_t forward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const cnn_norm_moments_t<T> moments = {cnn_norm_read<T>(g, s, 0),
                                           g->channels_last ? 1 : shape.hw};
    const store_moments_t<T> store = {moments,
                                      cnn_norm_saved(g, s, double(shape.n) * shape.hw)};
    const status_t st =
        cnn_channel_sums(moments, store, shape, lane->workspace, lane->stream);

    return st == ST_OK ? cnn_norm_apply<T>(g, first, last, lane) : st;
}

template <typename T> status_t inference(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const infer_t<T> f = {cnn_norm_read<T>(g, s, 0),
                          cnn_norm_read<float>(g, s, 3),
                          cnn_norm_read<float>(g, s, 4),
                          cnn_norm_read<float>(g, s, 1),
                          cnn_norm_read<float>(g, s, 2),
                          float(s->params.batch_norm.epsilon),
                          {}};

    return cnn_norm_each<T>(g, s->writes[0], f, lane);
}

template <typename T> status_t backward(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const cnn_norm_gradients_t<T> sums = {cnn_norm_read<T>(g, s, 0),
                                          cnn_norm_read<T>(g, s, 1),
                                          cnn_norm_read<float>(g, s, 3),
                                          cnn_norm_read<float>(g, s, 4)};
    const store_gradients_t store = {cnn_norm_written(g, s, 1),
                                     cnn_norm_written(g, s, 2)};
    const cnn_normalise_backward_t<T> f = {sums.x,
                                           sums.dy,
                                           sums.mean,
                                           sums.inverse,
                                           cnn_norm_read<float>(g, s, 2),
                                           store.dscale,
                                           store.dshift,
                                           1 / (float(shape.n) * float(shape.hw)),
                                           {},
                                           {}};
    const status_t st =
        cnn_channel_sums(sums, store, shape, lane->workspace, lane->stream);

    return st == ST_OK ? cnn_norm_each<T>(g, s->writes[0], f, lane) : st;
}

} // namespace

status_t cnn_batch_norm(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    return cnn_norm_is_bf16(g, first) ? forward<bf16_t>(g, first, last, lane)
                                      : forward<float>(g, first, last, lane);
}

status_t cnn_batch_norm_inference(cnn_gpu_t *g, int first, int last,
                                  const cnn_lane_t *lane)
{
    (void)last;
    return cnn_norm_is_bf16(g, first) ? inference<bf16_t>(g, first, lane)
                                      : inference<float>(g, first, lane);
}

status_t cnn_batch_norm_backward(cnn_gpu_t *g, int first, int last,
                                 const cnn_lane_t *lane)
{
    (void)last;
    return cnn_norm_is_bf16(g, first) ? backward<bf16_t>(g, first, lane)
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
                                store, cnn_norm_shape(g, t), lane->workspace,
                                lane->stream);
    return cnn_channel_sums(sum_t<float>{static_cast<const float *>(g->at[x])}, store,
                            cnn_norm_shape(g, t), lane->workspace, lane->stream);
}
