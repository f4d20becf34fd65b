/*
 * cnn_batch_norm.cu - batch norm, and sums per channel.
 */
#include "kernels/cnn/cuda/cnn_batch_norm.cuh"

namespace
{

struct sum_t {
    struct channel_t {
    };

    __device__ channel_t channel(unsigned) const
    {
        return {};
    }
    __device__ float2 operator()(channel_t, float x, float) const
    {
        return make_float2(x, 0);
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
struct infer_t {
    typedef float3 channel_t; /* mean, factor, shift */
    const float *mean, *variance, *scale, *shift;
    float epsilon;

    __device__ float3 channel(unsigned c) const
    {
        return make_float3(mean[c], scale[c] / sqrtf(variance[c] + epsilon), shift[c]);
    }
    __device__ float operator()(const float3 &c, float x, float) const
    {
        return (x - c.x) * c.y + c.z;
    }
};

template <typename T>
status_t forward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const T *x = cnn_norm_read<T>(g, s, 0);
    const cnn_norm_moments_t<T> moments = {x, g->channels_last ? 1 : shape.hw};
    const store_moments_t<T> store = {moments,
                                      cnn_norm_saved(g, s, double(shape.n) * shape.hw)};
    const status_t st =
        cnn_channel_sums(x, x, moments, store, shape, lane->workspace, lane->stream);

    return st == ST_OK ? cnn_norm_apply<T>(g, first, last, lane) : st;
}

template <typename T> status_t inference(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const T *x = cnn_norm_read<T>(g, s, 0);
    const infer_t f = {cnn_norm_read<float>(g, s, 3), cnn_norm_read<float>(g, s, 4),
                       cnn_norm_read<float>(g, s, 1), cnn_norm_read<float>(g, s, 2),
                       float(s->params.batch_norm.epsilon)};

    return cnn_map_channels<T>(g, cnn_gpu_tensor(g, s->reads[0]), x, x,
                               g->at[s->writes[0]], f, lane->stream);
}

template <typename T> status_t backward(cnn_gpu_t *g, int first, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, t);
    const T *x = cnn_norm_read<T>(g, s, 0), *dy = cnn_norm_read<T>(g, s, 1);
    const cnn_norm_gradients_t sums = {cnn_norm_read<float>(g, s, 3),
                                       cnn_norm_read<float>(g, s, 4)};
    const store_gradients_t store = {cnn_norm_written(g, s, 1),
                                     cnn_norm_written(g, s, 2)};
    const cnn_normalise_backward_t f = {
        sums.mean,    sums.inverse, cnn_norm_read<float>(g, s, 2),
        store.dscale, store.dshift, 1 / (float(shape.n) * float(shape.hw))};
    const status_t st =
        cnn_channel_sums(x, dy, sums, store, shape, lane->workspace, lane->stream);

    return st == ST_OK
               ? cnn_map_channels<T>(g, t, x, dy, g->at[s->writes[0]], f, lane->stream)
               : st;
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
    static const unsigned widths[] = {1, CNN_WIDTH<float>, CNN_WIDTH<bf16_t>};
    cnn_sums_shape_t s = {unsigned(t->size[0]), unsigned(t->size[1]),
                          unsigned(t->size[2] * t->size[3]), false};
    unsigned parts = cnn_sums_parts(s, 1);

    s.channels_last = true;
    for (const unsigned width : widths)
        parts = parts > cnn_sums_parts(s, width) ? parts : cnn_sums_parts(s, width);
    return size_t(s.c) * parts * sizeof(float2);
}

template <typename T>
static status_t sum_up(cnn_gpu_t *g, int x, float *sums, const cnn_lane_t *lane)
{
    const T *at = static_cast<const T *>(g->at[x]);

    return cnn_channel_sums(at, at, sum_t{}, store_sum_t{sums},
                            cnn_norm_shape(g, cnn_gpu_tensor(g, x)), lane->workspace,
                            lane->stream);
}

status_t cnn_sums(cnn_gpu_t *g, int x, float *sums, const cnn_lane_t *lane)
{
    return cnn_gpu_tensor(g, x)->type == CNN_BF16 ? sum_up<bf16_t>(g, x, sums, lane)
                                                  : sum_up<float>(g, x, sums, lane);
}
