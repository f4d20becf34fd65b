/*
 * cnn_batch_norm_part.cu - batch norm of a part of the batch, whose other parts are on
 * other ranks: sums of the part, and what follows from those of all parts.
 *
 * A thread per channel merges the parts, in their order.
 */
#include "kernels/cnn/cuda/cnn_batch_norm.cuh"

namespace
{

template <typename T> struct store_part_t {
    cnn_norm_moments_t<T> of;
    double n;
    float *part; /* [2][c] */
    unsigned c;

    __device__ void operator()(unsigned channel, double sum, double squares) const
    {
        const cnn_pair_t m = of.whole(channel, n, sum, squares);

        part[channel] = float(m.first);
        part[c + channel] = float(m.second);
    }
};

struct store_sums_t {
    float *part; /* [2][c] */
    float *dscale, *dshift;
    unsigned c;

    __device__ void operator()(unsigned channel, double sum, double product) const
    {
        part[channel] = dshift[channel] = float(sum);
        part[c + channel] = dscale[channel] = float(product);
    }
};

/* @param n  elements of a channel in each part */
__global__ void merge_moments_kernel(const float *parts, int n_parts, unsigned c,
                                     double n, cnn_norm_saved_t saved)
{
    const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x;

    if (channel < c)
        saved.store(channel, cnn_parts_moments(parts + channel, n_parts, c, n));
}

/* sums: [2][c] */
__global__ void merge_sums_kernel(const float *parts, int n_parts, unsigned c,
                                  float *sums)
{
    const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x;

    if (channel >= c)
        return;
    const cnn_pair_t whole = cnn_parts_sums(parts + channel, n_parts, c);

    sums[channel] = float(whole.first);
    sums[c + channel] = float(whole.second);
}

/* The tensor [2 parts][c] that a step reads */
int n_parts(const cnn_gpu_t *g, int tensor)
{
    return int(cnn_gpu_tensor(g, tensor)->size[0] / 2);
}

/* Elements of a channel in the whole batch, of which a step has a part */
template <typename T>
T whole_n(const cnn_step_t *s, const cnn_sums_shape_t &shape, int parts)
{
    const int64_t n_images = s->params.batch_norm.n_images;

    return n_images > 0 ? T(n_images) * T(shape.hw) : T(shape.n) * T(shape.hw) * T(parts);
}

unsigned blocks(unsigned c)
{
    return (c + CNN_BLOCK - 1) / CNN_BLOCK;
}

template <typename T> status_t part(cnn_gpu_t *g, int step, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const T *x = cnn_norm_read<T>(g, s, 0);
    const cnn_norm_moments_t<T> moments = {x, g->channels_last ? 1 : shape.hw};
    const store_part_t<T> store = {moments, double(shape.n) * shape.hw,
                                   cnn_norm_written(g, s, 0), shape.c};

    return cnn_channel_sums(x, x, moments, store, shape, lane->workspace, lane->stream);
}

template <typename T>
status_t whole(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const double n = double(shape.n) * shape.hw;
    const int parts = n_parts(g, s->reads[3]);

    merge_moments_kernel<<<blocks(shape.c), CNN_BLOCK, 0, lane->stream>>>(
        cnn_norm_read<float>(g, s, 3), parts, shape.c, n,
        cnn_norm_saved(g, s, whole_n<double>(s, shape, parts)));
    const status_t st = CUDA_TRY(cudaGetLastError());

    return st == ST_OK ? cnn_norm_apply<T>(g, first, last, lane) : st;
}

template <typename T>
status_t backward_part(cnn_gpu_t *g, int step, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, cnn_gpu_tensor(g, s->reads[0]));
    const cnn_norm_gradients_t sums = {cnn_norm_read<float>(g, s, 2),
                                       cnn_norm_read<float>(g, s, 3)};
    const store_sums_t store = {cnn_norm_written(g, s, 0), cnn_norm_written(g, s, 1),
                                cnn_norm_written(g, s, 2), shape.c};

    return cnn_channel_sums(cnn_norm_read<T>(g, s, 0), cnn_norm_read<T>(g, s, 1), sums,
                            store, shape, lane->workspace, lane->stream);
}

template <typename T>
status_t backward_whole(cnn_gpu_t *g, int step, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, step);
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);
    const cnn_sums_shape_t shape = cnn_norm_shape(g, t);
    const int parts = n_parts(g, s->reads[5]);
    float *sums = static_cast<float *>(lane->workspace);
    const cnn_normalise_backward_t f = {cnn_norm_read<float>(g, s, 3),
                                        cnn_norm_read<float>(g, s, 4),
                                        cnn_norm_read<float>(g, s, 2),
                                        sums + shape.c,
                                        sums,
                                        1 / whole_n<float>(s, shape, parts)};

    merge_sums_kernel<<<blocks(shape.c), CNN_BLOCK, 0, lane->stream>>>(
        cnn_norm_read<float>(g, s, 5), parts, shape.c, sums);
    const status_t st = CUDA_TRY(cudaGetLastError());

    return st == ST_OK ? cnn_map_channels<T>(g, t, cnn_norm_read<T>(g, s, 0),
                                             cnn_norm_read<T>(g, s, 1),
                                             g->at[s->writes[0]], f, lane->stream)
                       : st;
}

} // namespace

status_t cnn_batch_norm_part(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    (void)last;
    return cnn_norm_is_bf16(g, first) ? part<bf16_t>(g, first, lane)
                                      : part<float>(g, first, lane);
}

status_t cnn_batch_norm_whole(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    return cnn_norm_is_bf16(g, first) ? whole<bf16_t>(g, first, last, lane)
                                      : whole<float>(g, first, last, lane);
}

status_t cnn_batch_norm_backward_part(cnn_gpu_t *g, int first, int last,
                                      const cnn_lane_t *lane)
{
    (void)last;
    return cnn_norm_is_bf16(g, first) ? backward_part<bf16_t>(g, first, lane)
                                      : backward_part<float>(g, first, lane);
}

status_t cnn_batch_norm_backward_whole(cnn_gpu_t *g, int first, int last,
                                       const cnn_lane_t *lane)
{
    (void)last;
    return cnn_norm_is_bf16(g, first) ? backward_whole<bf16_t>(g, first, lane)
                                      : backward_whole<float>(g, first, lane);
}
