/*
 * cuda_occupancy.cuh - how many blocks of a kernel fill a device.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_OCCUPANCY_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_OCCUPANCY_CUH

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

#endif
