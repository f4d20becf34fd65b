/*
 * cnn_gpu_side.cu - the second stream of a network on a GPU: what runs beside the steps.
 *
 * Its priority is higher than that of the steps, so that sums over several ranks begin
 * while steps have blocks left to start.  No kernels here, hence no mapping of threads.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"

#include "kernels/device/cuda_host.cuh"

#include <cstdlib>
#include <cstring>

namespace
{

cnn_gpu_t *of(void *state)
{
    return static_cast<cnn_gpu_t *>(state);
}

status_t open(cnn_gpu_t *g)
{
    cnn_gpu_side_t *s = &g->side;
    int lowest, highest;
    status_t st;

    if (s->copied != nullptr)
        return ST_OK;
    if ((st = CUDA_TRY(cudaDeviceGetStreamPriorityRange(&lowest, &highest))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithPriority(&s->stream, cudaStreamNonBlocking,
                                                    highest))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreateWithFlags(&s->forked, cudaEventDisableTiming))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaEventCreateWithFlags(&s->joined, cudaEventDisableTiming))) !=
            ST_OK)
        return st;
    s->copied = static_cast<cudaEvent_t *>(
        calloc(size_t(g->program->n_steps) + 1, sizeof(*s->copied)));
    return s->copied != nullptr ? ST_OK : log_nomem("gradients");
}

void *address(void *state, int tensor)
{
    return of(state)->at[tensor];
}

status_t fork(void *state, void **stream)
{
    cnn_gpu_t *g = of(state);
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    if (st != ST_OK || (st = open(g)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(g->side.forked, g->lanes[0].stream))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamWaitEvent(g->side.stream, g->side.forked, 0))) != ST_OK)
        return st;
    *stream = g->side.stream;
    return ST_OK;
}

status_t join(void *state)
{
    cnn_gpu_t *g = of(state);
    const status_t st = CUDA_TRY(cudaEventRecord(g->side.joined, g->side.stream));

    return st == ST_OK
               ? CUDA_TRY(cudaStreamWaitEvent(g->lanes[0].stream, g->side.joined, 0))
               : st;
}

status_t update(void *state, int first, int last)
{
    cnn_gpu_t *g = of(state);
    cnn_lane_t lane = {};
    void *stream;
    status_t st = fork(state, &stream);

    lane.stream = g->side.stream;
    while (st == ST_OK && first < last) {
        const int end = cnn_gpu_group(g, first, last);

        st = cnn_update(g, first, end, &lane);
        first = end;
    }
    return st;
}

status_t host_alloc(void *state, size_t bytes, void **out)
{
    cnn_gpu_t *g = of(state);
    cnn_gpu_side_t *s = &g->side;
    status_t st = CUDA_TRY(cudaSetDevice(g->context.device->index));

    if (st == ST_OK && s->n_host == CNN_SIDE_HOST_MAX)
        st = log_nomem("copies from and to a GPU");
    if (st == ST_OK)
        st = cuda_host_alloc(g->context.pool, &s->host[s->n_host], bytes);
    if (st == ST_OK)
        *out = memset(s->host[s->n_host++], 0, bytes);
    return st;
}

/* Memory for a tensor on its way from the stored order to NCHW. */
status_t reserve(cnn_gpu_t *g, size_t bytes)
{
    cnn_gpu_side_t *s = &g->side;
    status_t st;

    if (s->staging_bytes >= bytes)
        return ST_OK;
    if ((st = CUDA_TRY(cudaStreamSynchronize(s->stream))) != ST_OK)
        return st;
    cudaFree(s->staging);
    s->staging = nullptr;
    s->staging_bytes = 0;
    if ((st = CUDA_TRY(cudaMalloc(&s->staging, bytes))) == ST_OK)
        s->staging_bytes = bytes;
    return st;
}

status_t copy_tensor(cnn_gpu_t *g, int tensor, void *to)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, tensor);
    const size_t bytes = cnn_tensor_bytes(t);
    const void *from = g->at[tensor];
    status_t st = ST_OK;

    if (cnn_gpu_is_reordered(g, tensor)) {
        if ((st = reserve(g, bytes)) == ST_OK)
            st = cnn_layout_convert(from, g->side.staging, g->shape[tensor],
                                    cnn_type_bytes(t->type), false, g->side.stream);
        from = g->side.staging;
    }
    return st == ST_OK ? CUDA_TRY(cudaMemcpyAsync(to, from, bytes,
                                                  t->on_host ? cudaMemcpyHostToHost
                                                             : cudaMemcpyDeviceToHost,
                                                  g->side.stream))
                       : st;
}

status_t read_begin(void *state, int copy, const int *tensors, int n, void *to)
{
    cnn_gpu_t *g = of(state);
    char *at = static_cast<char *>(to);
    void *stream;
    status_t st = fork(state, &stream);

    if (st == ST_OK && g->side.copied[copy] == nullptr)
        st = CUDA_TRY(
            cudaEventCreateWithFlags(&g->side.copied[copy], cudaEventDisableTiming));
    for (int i = 0; st == ST_OK && i < n; i++) {
        st = copy_tensor(g, tensors[i], at);
        at += cnn_tensor_bytes(cnn_gpu_tensor(g, tensors[i]));
    }
    return st == ST_OK ? CUDA_TRY(cudaEventRecord(g->side.copied[copy], g->side.stream))
                       : st;
}

status_t read_end(void *state, int copy)
{
    return CUDA_TRY(cudaEventSynchronize(of(state)->side.copied[copy]));
}

} // namespace

void cnn_gpu_close_side(cnn_gpu_t *g)
{
    cnn_gpu_side_t *s = &g->side;

    for (int k = 0; s->copied != nullptr && k < g->program->n_steps; k++)
        if (s->copied[k] != nullptr)
            cudaEventDestroy(s->copied[k]);
    if (s->forked != nullptr)
        cudaEventDestroy(s->forked);
    if (s->joined != nullptr)
        cudaEventDestroy(s->joined);
    if (s->stream != nullptr)
        cudaStreamDestroy(s->stream);
    cudaFree(s->staging);
    while (s->n_host > 0)
        cuda_host_free(s->host[--s->n_host]);
    free(s->copied);
}

const cnn_side_t cnn_gpu_side = {
    /* .write_bytes = */ cnn_gpu_write_bytes,
    /* .address = */ address,
    /* .fork = */ fork,
    /* .join = */ join,
    /* .update = */ update,
    /* .host_alloc = */ host_alloc,
    /* .read_begin = */ read_begin,
    /* .read_end = */ read_end,
};
