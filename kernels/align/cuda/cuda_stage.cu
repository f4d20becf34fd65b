/*
 * cuda_stage.cu - two pieces of pinned memory in turn.
 */
#include "kernels/align/cuda/cuda_stage.cuh"

status_t cuda_stage_next(cuda_stage_t *s, size_t bytes, void **out)
{
    auto *piece = &s->pieces[s->now];
    status_t st = ST_OK;

    if (piece->copied == nullptr)
        st = CUDA_TRY(cudaEventCreateWithFlags(&piece->copied, cudaEventDisableTiming));
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventSynchronize(piece->copied));
    if (st == ST_OK)
        st = cuda_pinned_reserve(&piece->memory, bytes);
    if (st == ST_OK)
        *out = piece->memory.at;
    return st;
}

status_t cuda_stage_copy(cuda_stage_t *s, void *to, size_t bytes)
{
    auto *piece = &s->pieces[s->now];
    const status_t st = CUDA_TRY(
        cudaMemcpyAsync(to, piece->memory.at, bytes, cudaMemcpyHostToDevice, s->stream));

    s->now = (s->now + 1) % CUDA_STAGES;
    return st == ST_OK ? CUDA_TRY(cudaEventRecord(piece->copied, s->stream)) : st;
}

status_t cuda_stage_join(cuda_stage_t *s, cudaStream_t stream)
{
    const auto &last = s->pieces[(s->now + CUDA_STAGES - 1) % CUDA_STAGES];

    return CUDA_TRY(cudaStreamWaitEvent(stream, last.copied, 0));
}

void cuda_stage_free(cuda_stage_t *s)
{
    for (auto &piece : s->pieces) {
        if (piece.copied != nullptr)
            cudaEventDestroy(piece.copied);
        cuda_pinned_free(&piece.memory);
    }
    *s = cuda_stage_t{};
}
