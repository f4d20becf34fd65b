/*
 * cuda_side_streams.cu - streams beside a batch's own.
 */
#include "kernels/align/cuda/cuda_side_streams.cuh"

status_t cuda_side_streams_create(cuda_side_streams_t *s)
{
    status_t st = CUDA_TRY(cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming));

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        if ((st = CUDA_TRY(cudaStreamCreateWithFlags(&s->sides[k],
                                                     cudaStreamNonBlocking))) == ST_OK)
            st = CUDA_TRY(cudaEventCreateWithFlags(&s->done[k], cudaEventDisableTiming));
    return st;
}

void cuda_side_streams_destroy(cuda_side_streams_t *s)
{
    for (int k = 0; k < CUDA_SIDE_STREAMS; k++) {
        if (s->sides[k] != nullptr)
            cudaStreamDestroy(s->sides[k]);
        if (s->done[k] != nullptr)
            cudaEventDestroy(s->done[k]);
    }
    if (s->ready != nullptr)
        cudaEventDestroy(s->ready);
}

status_t cuda_side_streams_fork(const cuda_side_streams_t *s, cudaStream_t stream)
{
    status_t st = CUDA_TRY(cudaEventRecord(s->ready, stream));

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        st = CUDA_TRY(cudaStreamWaitEvent(s->sides[k], s->ready, 0));
    return st;
}

status_t cuda_side_streams_join(const cuda_side_streams_t *s, cudaStream_t stream)
{
    status_t st = ST_OK;

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        if ((st = CUDA_TRY(cudaEventRecord(s->done[k], s->sides[k]))) == ST_OK)
            st = CUDA_TRY(cudaStreamWaitEvent(stream, s->done[k], 0));
    return st;
}
