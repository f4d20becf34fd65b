/*
 * cuda_occupancy.cuh - how many blocks of a kernel fill a device.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/device/device.h"
}

/*
 * Count the blocks that a device holds at the same time.
 *
 * @param kernel   without dynamic shared memory
 * @param threads  of a block
 */
template <typename KERNEL>
status_t cuda_occupancy_blocks(KERNEL kernel, int threads, const device_t *device,
                               int *out)
{
    int per_core = 0;
    const status_t st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_core, reinterpret_cast<const void *>(kernel), threads, 0));

    *out = per_core * device->n_cores;
    return st;
}

/* The same with dynamic shared memory, which the kernel is allowed to have.
 *
 * @param bytes  of it, per block
 * @param out    0: a block may not have `bytes`
 */
template <typename KERNEL>
status_t cuda_occupancy_shared_blocks(KERNEL kernel, int threads, size_t bytes,
                                      const device_t *device, int *out)
{
    const void *function = reinterpret_cast<const void *>(kernel);
    cudaFuncAttributes attributes;
    int max_bytes = 0, per_core = 0;
    status_t st = CUDA_TRY(cudaFuncGetAttributes(&attributes, function));

    *out = 0;
    if (st == ST_OK)
        st = CUDA_TRY(cudaDeviceGetAttribute(&max_bytes,
                                             cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                             device->index));
    if (st != ST_OK ||
        attributes.sharedSizeBytes + bytes > static_cast<size_t>(max_bytes))
        return st;
    if (bytes > 0)
        st = CUDA_TRY(cudaFuncSetAttribute(function,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes)));
    if (st == ST_OK)
        st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, function,
                                                                    threads, bytes));
    *out = per_core * device->n_cores;
    return st;
}
