/*
 * cuda_buffer.cu - memory that grows on demand.
 */
#include "kernels/align/cuda/cuda_buffer.cuh"

#include <cstdlib>
#include <cstring>

status_t cuda_buffer_reserve(cuda_buffer_t *buffer, size_t bytes)
{
    const size_t size = cuda_buffer_grown(buffer->bytes, bytes);
    status_t st;

    if (bytes <= buffer->bytes)
        return ST_OK;
    cuda_buffer_free(buffer);
    if ((st = CUDA_TRY(cudaMalloc(&buffer->at, size))) == ST_OK)
        buffer->bytes = size;
    return st;
}

void cuda_buffer_free(cuda_buffer_t *buffer)
{
    cudaFree(buffer->at);
    *buffer = cuda_buffer_t{};
}

status_t cuda_pinned_reserve(cuda_pinned_t *buffer, size_t bytes)
{
    const size_t size = cuda_buffer_grown(buffer->bytes, bytes);
    status_t st = ST_OK;

    if (bytes <= buffer->bytes)
        return ST_OK;
    cuda_pinned_free(buffer);
    if (!buffer->is_pageable)
        st = cuda_host_alloc(buffer->pool, &buffer->at, size);
    else if ((buffer->at = malloc(size)) == nullptr)
        st = log_nomem("a batch");
    if (st == ST_OK)
        buffer->bytes = size;
    return st;
}

void cuda_pinned_free(cuda_pinned_t *buffer)
{
    if (buffer->is_pageable)
        free(buffer->at);
    else
        cuda_host_free(buffer->at);
    buffer->at = nullptr;
    buffer->bytes = 0;
}

void cuda_scratch_place(const cuda_scratch_t *s, void *block)
{
    for (int k = 0; block != nullptr && k < s->n; k++) {
        const char *array = static_cast<char *>(block) + s->arrays[k].at;

        memcpy(s->arrays[k].address, &array, sizeof(array));
    }
}

status_t cuda_scratch_reserve(const cuda_scratch_t *s, cuda_buffer_t *buffer)
{
    const status_t st = cuda_buffer_reserve(buffer, s->bytes);

    if (st == ST_OK)
        cuda_scratch_place(s, buffer->at);
    return st;
}
