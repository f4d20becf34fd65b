/*
 * cuda_try.cuh - the one place where a CUDA error becomes a status_t.
 */
#ifndef RIBOGRID_KERNELS_DEVICE_CUDA_TRY_CUH
#define RIBOGRID_KERNELS_DEVICE_CUDA_TRY_CUH

extern "C" {
#include "io/base/logmsg.h"
}

#include <cuda_runtime.h>

#define CUDA_TRY(call) cuda_try((call), #call)

static inline status_t cuda_try(cudaError_t err, const char *call)
{
    if (err == cudaSuccess)
        return ST_OK;
    log_error("CUDA: %s: %s", call, cudaGetErrorString(err));
    return err == cudaErrorMemoryAllocation ? ST_ENOMEM : ST_EDEVICE;
}

#endif
