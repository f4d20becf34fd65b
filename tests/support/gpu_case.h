/*
 * gpu_case.h - the devices that a GPU test compares: a GPU and the whole CPU.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/device/device.h"

#include <stdio.h>
#include <stdlib.h>

enum { GPU_CASE_SKIPPED = 77 };

/*
 * Find the devices and print their names.
 *
 * @param process  the number of this process among those that run side by side, from 0:
 *                 they share all GPUs
 * @return EXIT_SUCCESS, or the exit code of the test
 */
static inline int gpu_case_begin(int process, device_t *cpu, device_t *gpu, pool_t **pool)
{
    device_t gpus[DEVICES_MAX];
    int n_gpus = device_list_cuda(gpus);

    if (n_gpus == 0) {
        printf("skipped: %s\n", device_cuda_absence());
        return GPU_CASE_SKIPPED;
    }
    *gpu = gpus[process % n_gpus];
    *cpu = device_cpu();
    if (pool_create(cpu->n_cores, pool) != ST_OK)
        return EXIT_FAILURE;
    printf("%s, against %d threads of %s\n", gpu->name, cpu->n_cores, cpu->name);
    return EXIT_SUCCESS;
}
