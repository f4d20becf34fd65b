/*
 * gpu_case.h - the devices that a GPU test compares: the first GPU and the whole CPU.
 */
#ifndef RIBOGRID_TESTS_SUPPORT_GPU_CASE_H
#define RIBOGRID_TESTS_SUPPORT_GPU_CASE_H

#include "io/base/pool.h"
#include "kernels/device/device.h"

#include <stdio.h>
#include <stdlib.h>

enum { GPU_CASE_SKIPPED = 77 };

/* Find the devices and print their names. @return EXIT_SUCCESS, or the exit code of the
 * test
 */
static inline int gpu_case_begin(device_t *cpu, device_t *gpu, pool_t **pool)
{
    device_t gpus[DEVICES_MAX];

    if (device_list_cuda(gpus) == 0) {
        printf("skipped: %s\n", device_cuda_absence());
        return GPU_CASE_SKIPPED;
    }
    *gpu = gpus[0];
    *cpu = device_cpu();
    if (pool_create(cpu->n_cores, pool) != ST_OK)
        return EXIT_FAILURE;
    printf("%s, against %d threads of %s\n", gpu->name, cpu->n_cores, cpu->name);
    return EXIT_SUCCESS;
}

#endif
