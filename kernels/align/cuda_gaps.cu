/*
 * cuda_gaps.cu - the timeline of batches, from events.
 */
#include "kernels/align/cuda_gaps.cuh"

namespace
{

constexpr double TOLD_LEAST_MS = 100; /* less is no steady state */

} // namespace

status_t cuda_gaps_create(cuda_gaps_t *g)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < CUDA_GAPS_RING; k++)
        if ((st = CUDA_TRY(cudaEventCreate(&g->begun[k]))) == ST_OK)
            st = CUDA_TRY(cudaEventCreate(&g->ended[k]));
    return st;
}

status_t cuda_gaps_begin(cuda_gaps_t *g, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(g->begun[batch % CUDA_GAPS_RING], stream));
}

status_t cuda_gaps_end(cuda_gaps_t *g, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(g->ended[batch % CUDA_GAPS_RING], stream));
}

status_t cuda_gaps_add(cuda_gaps_t *g, int batch)
{
    const int k = batch % CUDA_GAPS_RING;
    const int before = (batch + CUDA_GAPS_RING - 1) % CUDA_GAPS_RING;
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

void cuda_gaps_tell(const cuda_gaps_t *g)
{
    if (g->span_ms >= TOLD_LEAST_MS)
        log_verbose("GPU: %.1f %% of %.2f s without a kernel",
                    100 * g->gap_ms / g->span_ms, g->span_ms / 1000);
}

void cuda_gaps_free(cuda_gaps_t *g)
{
    for (int k = 0; k < CUDA_GAPS_RING; k++) {
        if (g->begun[k] != nullptr)
            cudaEventDestroy(g->begun[k]);
        if (g->ended[k] != nullptr)
            cudaEventDestroy(g->ended[k]);
    }
    *g = cuda_gaps_t{};
}
