/*
 * cuda_host.cuh - pinned memory of the host, which a GPU copies without staging.
 *
 * Registered memory with large pages takes a third of the time of cudaMallocHost.  Most
 * of the rest are the zeros that the system writes, which several threads share.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "io/base/buf.h"
#include "io/base/pool.h"
}

#include <cstdlib>

enum { CUDA_HOST_PAGE = 1 << 12, CUDA_HOST_LARGE_PAGE = 1 << 21 };

/* Have the system provide the pages of a large one. */
static inline void cuda_host_touch(void *memory, int64_t large_page, int)
{
    char *page = static_cast<char *>(memory) + large_page * CUDA_HOST_LARGE_PAGE;

    for (int at = 0; at < CUDA_HOST_LARGE_PAGE; at += CUDA_HOST_PAGE)
        page[at] = 0;
}

/*
 * Allocate pinned memory.
 *
 * @param pool  threads that share the work; NULL: the caller alone
 * @param out   NULL on failure; free it with cuda_host_free
 */
template <typename T> status_t cuda_host_alloc(pool_t *pool, T **out, size_t bytes)
{
    void *memory = buf_alloc_pages(bytes);
    status_t st;

    *out = nullptr;
    if (memory == nullptr)
        return log_nomem("pinned memory");
    pool_run(pool, static_cast<int64_t>(bytes / CUDA_HOST_LARGE_PAGE), cuda_host_touch,
             memory);
    st = CUDA_TRY(cudaHostRegister(memory, bytes + 1, cudaHostRegisterDefault));
    if (st != ST_OK)
        free(memory);
    else
        *out = static_cast<T *>(memory);
    return st;
}

/* Free it, once no copy uses it; takes NULL. */
static inline void cuda_host_free(void *memory)
{
    if (memory != nullptr)
        cudaHostUnregister(memory);
    free(memory);
}
