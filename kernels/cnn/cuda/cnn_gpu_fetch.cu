/*
 * cnn_gpu_fetch.cu - large tensors on their way to the host's memory.
 *
 * A copy to memory that is not pinned goes through the driver's own buffer by one thread,
 * which also touches new pages for the first time: about 1 GB/s.  Here pieces land in two
 * pinned buffers, and the pool's threads copy one while the other is filled.  No kernels
 * here, hence no mapping of threads.
 */
#include "kernels/cnn/cuda/cnn_gpu.cuh"

#include "kernels/device/cuda_host.cuh"

#include <algorithm>

namespace
{

constexpr size_t PIECE = size_t(1) << 23;
constexpr size_t SMALL = size_t(1) << 18; /* not worth threads */

status_t open(cnn_gpu_landing_t *l)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < 2; k++) {
        if (l->at[k] == nullptr)
            st = cuda_host_alloc(nullptr, &l->at[k], PIECE);
        if (st == ST_OK && l->landed[k] == nullptr)
            st =
                CUDA_TRY(cudaEventCreateWithFlags(&l->landed[k], cudaEventDisableTiming));
    }
    return st;
}

/* Begin the copy of piece k to its buffer. */
status_t begin_piece(cnn_gpu_t *g, const char *from, size_t bytes, size_t k)
{
    cnn_gpu_landing_t *l = &g->landing;
    const cudaStream_t stream = g->lanes[0].stream;
    const size_t n = std::min(PIECE, bytes - k * PIECE);
    const status_t st = CUDA_TRY(cudaMemcpyAsync(l->at[k % 2], from + k * PIECE, n,
                                                 cudaMemcpyDeviceToHost, stream));

    return st == ST_OK ? CUDA_TRY(cudaEventRecord(l->landed[k % 2], stream)) : st;
}

status_t end_piece(cnn_gpu_t *g, char *to, size_t bytes, size_t k)
{
    cnn_gpu_landing_t *l = &g->landing;
    const status_t st = CUDA_TRY(cudaEventSynchronize(l->landed[k % 2]));

    if (st == ST_OK)
        pool_copy(g->context.pool, to + k * PIECE, l->at[k % 2],
                  std::min(PIECE, bytes - k * PIECE));
    return st;
}

} // namespace

status_t cnn_gpu_fetch(cnn_gpu_t *g, const void *from, void *to, size_t bytes)
{
    const cudaStream_t stream = g->lanes[0].stream;
    const char *source = static_cast<const char *>(from);
    const size_t n = (bytes + PIECE - 1) / PIECE;
    status_t st;

    if (bytes <= SMALL) {
        st = CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
        return st == ST_OK ? CUDA_TRY(cudaStreamSynchronize(stream)) : st;
    }
    if ((st = open(&g->landing)) == ST_OK)
        st = begin_piece(g, source, bytes, 0);
    for (size_t k = 0; st == ST_OK && k < n; k++) {
        if (k + 1 < n)
            st = begin_piece(g, source, bytes, k + 1);
        if (st == ST_OK)
            st = end_piece(g, static_cast<char *>(to), bytes, k);
    }
    return st;
}

void cnn_gpu_close_landing(cnn_gpu_t *g)
{
    for (int k = 0; k < 2; k++) {
        cuda_host_free(g->landing.at[k]);
        if (g->landing.landed[k] != nullptr)
            cudaEventDestroy(g->landing.landed[k]);
    }
}
