/*
 * sync_launch.cuh - launches of kernels whose blocks wait for each other, so that all of
 * them have to be resident.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/device/device.h"
}

/* A grid. */
struct sync_shape_t {
    int n_blocks, n_threads;
    int cluster;          /* blocks of a cluster; 1: none */
    int shared_bytes = 0; /* of a block, beyond what the kernel declares */
};

constexpr cudaFuncAttribute SYNC_SHARED = cudaFuncAttributeMaxDynamicSharedMemorySize;

struct sync_config_t {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attributes[2];
};

/* Fill in a launch. @param out  must not move afterwards */
inline void sync_configure(const sync_shape_t &shape, sync_config_t *out)
{
    *out = sync_config_t{};
    out->attributes[0].id = cudaLaunchAttributeCooperative;
    out->attributes[0].val.cooperative = 1;
    out->attributes[1].id = cudaLaunchAttributeClusterDimension;
    out->attributes[1].val.clusterDim.x = static_cast<unsigned>(shape.cluster);
    out->attributes[1].val.clusterDim.y = out->attributes[1].val.clusterDim.z = 1;
    out->config.gridDim = dim3(static_cast<unsigned>(shape.n_blocks));
    out->config.blockDim = dim3(static_cast<unsigned>(shape.n_threads));
    out->config.dynamicSmemBytes = static_cast<size_t>(shape.shared_bytes);
    out->config.attrs = out->attributes;
    out->config.numAttrs = shape.cluster > 1 ? 2 : 1;
}

/*
 * Count the blocks of a shape that a device holds at the same time.
 *
 * @param n_cores  of the device
 * @return ST_OK; 0 blocks if it has no such clusters
 */
template <typename KERNEL>
status_t sync_resident(KERNEL kernel, const sync_shape_t &shape, int n_cores, int *out)
{
    const void *function = reinterpret_cast<const void *>(kernel);
    sync_config_t launch;
    int n = 0;

    if (shape.cluster <= 1) {
        status_t st = ST_OK;

        if (shape.shared_bytes > 0)
            st =
                CUDA_TRY(cudaFuncSetAttribute(function, SYNC_SHARED, shape.shared_bytes));
        if (st == ST_OK)
            st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &n, function, shape.n_threads, static_cast<size_t>(shape.shared_bytes)));
        *out = n * n_cores;
        return st;
    }
    sync_configure(shape, &launch);
    if (cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed,
                             1) != cudaSuccess ||
        cudaFuncSetAttribute(function, SYNC_SHARED, shape.shared_bytes) != cudaSuccess ||
        cudaOccupancyMaxActiveClusters(&n, kernel, &launch.config) != cudaSuccess) {
        cudaGetLastError(); /* the device has none */
        n = 0;
    }
    *out = n * shape.cluster;
    return ST_OK;
}

/*
 * Launch a kernel whose blocks wait for each other.
 *
 * @return ST_EUSAGE, after a message with both numbers, if they do not fit
 */
template <typename... P, typename... A>
status_t sync_launch(void (*kernel)(P...), const sync_shape_t &shape, int n_cores,
                     cudaStream_t stream, A... arguments)
{
    sync_config_t launch;
    int resident = 0;
    const status_t st = sync_resident(kernel, shape, n_cores, &resident);

    if (st != ST_OK)
        return st;
    if (shape.n_blocks > resident) {
        log_error("%d blocks of %d threads cannot wait for each other: this GPU holds %d "
                  "of them at a time; use fewer",
                  shape.n_blocks, shape.n_threads, resident);
        return ST_EUSAGE;
    }
    sync_configure(shape, &launch);
    launch.config.stream = stream;
    return CUDA_TRY(cudaLaunchKernelEx(&launch.config, kernel, arguments...));
}
