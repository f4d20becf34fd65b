/*
 * cnn_gpu_swap.cu - the swap area of a network on a GPU: pinned memory of the host, in
 * which tensors have the order that they have on the device.
 *
 * The host writes and reads tensors there by itself, by all threads of the pool, and runs
 * the steps that are placed on it.  These take tensors in the device's order: they are
 * fully connected layers, whose weights are in the order of what they read, and steps for
 * which order does not matter (cnn_net_may_place).  No kernels here, hence no mapping of
 * threads.
 */
#include "kernels/cnn/cuda/cnn_gpu.cuh"

namespace
{

/* Images, or outputs of weights, between NCHW and NHWC */
typedef struct {
    const char *from;
    char *to;
    int64_t c, hw;
    bool to_channels_last;
} transpose_t;

template <typename T> void transpose(void *ctx, int64_t image, int)
{
    const transpose_t *t = static_cast<const transpose_t *>(ctx);
    const int64_t n = t->c * t->hw;
    const T *from = reinterpret_cast<const T *>(t->from) + image * n;
    T *to = reinterpret_cast<T *>(t->to) + image * n;

    for (int64_t c = 0; c < t->c; c++)
        for (int64_t i = 0; i < t->hw; i++) {
            if (t->to_channels_last)
                to[i * t->c + c] = from[c * t->hw + i];
            else
                to[c * t->hw + i] = from[i * t->c + c];
        }
}

/* Copy a tensor behind the steps so far. */
status_t copy(cnn_gpu_t *g, int tensor, const void *from, void *to, bool is_write)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, tensor);
    const int64_t *shape = g->shape[tensor];
    const status_t st = cnn_gpu_wait(g);
    transpose_t work = {static_cast<const char *>(from), static_cast<char *>(to),
                        shape[1], shape[2] * shape[3], is_write};

    if (st != ST_OK)
        return st;
    if (!cnn_gpu_is_reordered(g, tensor))
        pool_copy(g->context.pool, to, from, cnn_tensor_bytes(t));
    else
        pool_run(g->context.pool, shape[0],
                 cnn_type_bytes(t->type) == 2 ? transpose<uint16_t> : transpose<uint32_t>,
                 &work);
    return ST_OK;
}

} // namespace

status_t cnn_gpu_swap(cnn_gpu_t *g, int first, int, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    return CUDA_TRY(cudaMemcpyAsync(g->at[s->writes[0]], g->at[s->reads[0]],
                                    cnn_tensor_bytes(cnn_gpu_tensor(g, s->reads[0])),
                                    s->op == CNN_FETCH ? cudaMemcpyHostToDevice
                                                       : cudaMemcpyDeviceToHost,
                                    lane->stream));
}

status_t cnn_gpu_swap_write(cnn_gpu_t *g, int tensor, const void *from)
{
    return copy(g, tensor, from, g->at[tensor], true);
}

status_t cnn_gpu_swap_read(cnn_gpu_t *g, int tensor, void *to)
{
    return copy(g, tensor, g->at[tensor], to, false);
}

/* ---- steps on the host ---- */

bool cnn_gpu_takes_beside(const cnn_context_t *context)
{
    cnn_context_t beside = *context;

    beside.is_beside = true;
    return cpu_cnn_backend.takes(&beside);
}

status_t cnn_gpu_open_beside(cnn_gpu_t *g)
{
    cnn_context_t beside = g->context;

    beside.is_beside = true;
    beside.swap = g->swap;
    for (int s = 0; s < g->program->n_steps; s++)
        if (!cnn_gpu_runs(g, s))
            return cpu_cnn_backend.create(&beside, &g->beside);
    return ST_OK;
}

status_t cnn_gpu_run_beside(cnn_gpu_t *g, int first, int last, const cnn_iteration_t *i)
{
    const status_t st = cnn_gpu_wait(g);

    return st == ST_OK ? cpu_cnn_backend.run(g->beside, first, last, i) : st;
}

void cnn_gpu_close_beside(cnn_gpu_t *g)
{
    cpu_cnn_backend.destroy(g->beside);
    g->beside = nullptr;
}
