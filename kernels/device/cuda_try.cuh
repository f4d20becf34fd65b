/*
 * cuda_try.cuh - the one place where a CUDA error becomes a status_t.
 */
#pragma once

extern "C" {
#include "io/base/logmsg.h"
}

#include <cuda_runtime.h>

#define CUDA_TRY(call) cuda_try((call), #call)

/* Set by the first error that costs the device: all later calls fail with the same one,
 * and it is logged once. */
inline bool cuda_is_lost = false;

/* Errors after which every further call in this process fails: the device, or its
 * context, is gone. */
static inline bool cuda_error_is_sticky(cudaError_t err)
{
    switch (err) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDevicesUnavailable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorUnknown:
        return true;
    default:
        return false;
    }
}

static inline status_t cuda_try(cudaError_t err, const char *call)
{
    const bool lost = cuda_error_is_sticky(err);

    if (err == cudaSuccess)
        return ST_OK;
    if (!lost || !cuda_is_lost)
        log_error("CUDA: %s: %s", call, cudaGetErrorString(err));
    if (lost) {
        cuda_is_lost = true;
        return ST_ELOST;
    }
    return err == cudaErrorMemoryAllocation ? ST_ENOMEM : ST_EDEVICE;
}
