/*
 * tiled_kernel.cuh - the kernels of tiled-dscan.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_KERNEL_CUH
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_KERNEL_CUH

#include "kernels/align/tiled/tiled_launch.cuh"

/* @return in *n_blocks as many as the device holds of the sweeping kernel at once */
status_t tiled_kernel_blocks(const tiled_layout_t *layout, bool traced,
                             const device_t *device, int *n_blocks);

/*
 * Enqueue the sweeps of a launch, and then what its pairs' results are.
 *
 * @param n_blocks  of the sweeping kernel
 */
status_t tiled_kernel_run(const tiled_launch_t &launch, int n_blocks,
                          cudaStream_t stream);

#endif
