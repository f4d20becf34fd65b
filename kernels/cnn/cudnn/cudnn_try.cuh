/*
 * cudnn_try.cuh - errors of cuDNN and cuBLAS as status codes.
 */
#pragma once

#include "kernels/cnn/cudnn/cublas_library.cuh"
#include "kernels/device/cuda_try.cuh"

#include <cudnn.h>

#define CUDNN_TRY(call)  cudnn_try((call), #call)
#define CUBLAS_TRY(call) cublas_try((call), #call)

/* A library's error may be that of an earlier kernel, which tells more. */
static inline status_t library_failed(const char *library, const char *call,
                                      const char *why, bool is_memory)
{
    const status_t st = CUDA_TRY(cudaGetLastError());

    if (st != ST_OK)
        return st;
    log_error("%s: %s: %s", library, call, why);
    return is_memory ? ST_ENOMEM : ST_EDEVICE;
}

static inline status_t cudnn_try(cudnnStatus_t status, const char *call)
{
    if (status == CUDNN_STATUS_SUCCESS)
        return ST_OK;
    return library_failed("cuDNN", call, cudnnGetErrorString(status),
                          status == CUDNN_STATUS_ALLOC_FAILED);
}

static inline status_t cublas_try(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return ST_OK;
    return library_failed("cuBLAS", call, cublas.cublasLtGetStatusString(status),
                          status == CUBLAS_STATUS_ALLOC_FAILED);
}
