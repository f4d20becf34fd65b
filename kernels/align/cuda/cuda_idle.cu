/*
 * cuda_idle.cu - the time line of batches, from events.
 */
#include "kernels/align/cuda/cuda_idle.cuh"

namespace
{

constexpr double REPORT_MIN_MS = 100; /* a shorter span is no steady state */

} // namespace

status_t cuda_idle_create(cuda_idle_t *t)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < CUDA_IDLE_RING; k++)
        if ((st = CUDA_TRY(cudaEventCreate(&t->begun[k]))) == ST_OK)
            st = CUDA_TRY(cudaEventCreate(&t->ended[k]));
    return st;
}

status_t cuda_idle_begin(cuda_idle_t *t, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(t->begun[batch % CUDA_IDLE_RING], stream));
}

status_t cuda_idle_end(cuda_idle_t *t, int batch, cudaStream_t stream)
{
    return CUDA_TRY(cudaEventRecord(t->ended[batch % CUDA_IDLE_RING], stream));
}

status_t cuda_idle_add(cuda_idle_t *t, int batch)
{
    const int k = batch % CUDA_IDLE_RING;
    const int before = (batch + CUDA_IDLE_RING - 1) % CUDA_IDLE_RING;
    float idle = 0, span = 0;
    status_t st;

    if (batch == 0) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, t->begun[k], t->ended[k]));
    } else if ((st = CUDA_TRY(cudaEventElapsedTime(&idle, t->ended[before],
                                                   t->begun[k]))) == ST_OK) {
        st = CUDA_TRY(cudaEventElapsedTime(&span, t->ended[before], t->ended[k]));
    }
    if (st != ST_OK)
        return st;
    t->idle_ms += idle > 0 ? static_cast<double>(idle) : 0;
    t->span_ms += static_cast<double>(span);
    return ST_OK;
}

void cuda_idle_report(const cuda_idle_t *t)
{
    if (t->span_ms >= REPORT_MIN_MS)
        log_verbose("GPU: %.1f %% of %.2f s without a kernel",
                    100 * t->idle_ms / t->span_ms, t->span_ms / 1000);
}

void cuda_idle_free(cuda_idle_t *t)
{
    for (int k = 0; k < CUDA_IDLE_RING; k++) {
        if (t->begun[k] != nullptr)
            cudaEventDestroy(t->begun[k]);
        if (t->ended[k] != nullptr)
            cudaEventDestroy(t->ended[k]);
    }
    *t = cuda_idle_t{};
}
