/*
 * tiled_kernel.cuh - the kernels of tiled-dscan.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_KERNEL_CUH
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_KERNEL_CUH

#include "kernels/align/tiled/tiled_launch.cuh"

/* Count the blocks of the sweeping kernel that a device holds at the same time. */
status_t tiled_kernel_blocks(const tiled_layout_t *layout, bool traced,
                             const device_t *device, int *n_blocks);

/*
 * Enqueue a launch: prepare its pairs, sweep, and store the results.
 *
 * @param n_blocks  of the sweeping kernel
 */
status_t tiled_kernel_run(const tiled_launch_t &launch, int n_blocks,
                          cudaStream_t stream);

#endif
