/*
 * cuda_side_streams.cu - streams beside a batch's own, tied to it by events.
 */
#include "kernels/align/cuda/cuda_side_streams.cuh"

status_t cuda_side_streams_create(cuda_side_streams_t *s)
{
    status_t st = CUDA_TRY(cudaEventCreateWithFlags(&s->forked, cudaEventDisableTiming));

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        if ((st = CUDA_TRY(cudaStreamCreateWithFlags(&s->streams[k],
                                                     cudaStreamNonBlocking))) == ST_OK)
            st = CUDA_TRY(cudaEventCreateWithFlags(&s->done[k], cudaEventDisableTiming));
    return st;
}

void cuda_side_streams_destroy(cuda_side_streams_t *s)
{
    for (int k = 0; k < CUDA_SIDE_STREAMS; k++) {
        if (s->streams[k] != nullptr)
            cudaStreamDestroy(s->streams[k]);
        if (s->done[k] != nullptr)
            cudaEventDestroy(s->done[k]);
    }
    if (s->forked != nullptr)
        cudaEventDestroy(s->forked);
}

status_t cuda_side_streams_fork(const cuda_side_streams_t *s, cudaStream_t stream)
{
    status_t st = CUDA_TRY(cudaEventRecord(s->forked, stream));

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        st = CUDA_TRY(cudaStreamWaitEvent(s->streams[k], s->forked, 0));
    return st;
}

status_t cuda_side_streams_join(const cuda_side_streams_t *s, cudaStream_t stream)
{
    status_t st = ST_OK;

    for (int k = 0; k < CUDA_SIDE_STREAMS && st == ST_OK; k++)
        if ((st = CUDA_TRY(cudaEventRecord(s->done[k], s->streams[k]))) == ST_OK)
            st = CUDA_TRY(cudaStreamWaitEvent(stream, s->done[k], 0));
    return st;
}
