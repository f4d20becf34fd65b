/*
 * cuda_idle.cu - the timeline of batches, from events.
 */
#include "kernels/align/cuda/cuda_idle.cuh"

namespace
{

constexpr double TOLD_MIN_MS = 100; /* less is no steady state */

} // namespace

status_t cuda_idle_create(cuda_idle_t *g)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < CUDA_IDLE_RING; k++)
        if ((st = CUDA_TRY(cudaEventCreate(&g->begun[k]))) == ST_OK)
            st = CUDA_TRY(cudaEventCreate(&g->ended[k]));
    return st;
}

status_t cuda_idle_begin(cuda_idle_t *g, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(g->begun[batch % CUDA_IDLE_RING], stream));
}

status_t cuda_idle_end(cuda_idle_t *g, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(g->ended[batch % CUDA_IDLE_RING], stream));
}

status_t cuda_idle_add(cuda_idle_t *g, int batch)
{
    const int k = batch % CUDA_IDLE_RING;
    const int before = (batch + CUDA_IDLE_RING - 1) % CUDA_IDLE_RING;
    float gap = 0, span = 0;
    status_t st;

    if (batch == 0) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, g->begun[k], g->ended[k]));
    } else if ((st = CUDA_TRY(cudaEventElapsedTime(&gap, g->ended[before],
                                                   g->begun[k]))) == ST_OK) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, g->ended[before], g->ended[k]));
    }
    if (st != ST_OK)
        return st;
    g->gap_ms += gap > 0 ? static_cast<double>(gap) : 0;
    g->span_ms += static_cast<double>(span);
    return ST_OK;
}

void cuda_idle_report(const cuda_idle_t *g)
{
    if (g->span_ms >= TOLD_MIN_MS)
        log_verbose("GPU: %.1f %% of %.2f s without a kernel",
                    100 * g->gap_ms / g->span_ms, g->span_ms / 1000);
}

void cuda_idle_free(cuda_idle_t *g)
{
    for (int k = 0; k < CUDA_IDLE_RING; k++) {
        if (g->begun[k] != nullptr)
            cudaEventDestroy(g->begun[k]);
        if (g->ended[k] != nullptr)
            cudaEventDestroy(g->ended[k]);
    }
    *g = cuda_idle_t{};
}
