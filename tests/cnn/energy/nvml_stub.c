/*
 * nvml_stub.c - a library in the place of the NVIDIA driver's, for tests: a GPU of 100 W
 * by the clock, whose clocks can be locked.
 *
 * NVML_STUB_LOG names a file to which it appends each change of clocks.  With
 * NVML_STUB_REFUSES changes are not permitted, with NVML_STUB_ANY_GPU it is every GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, NO_PERMISSION = 4, NOT_FOUND = 6 };

static unsigned core_mhz = 1500;

static void note(const char *what, unsigned mhz)
{
    const char *path = getenv("NVML_STUB_LOG");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;

    if (file == NULL)
        return;
    fprintf(file, "%s %u\n", what, mhz);
    fclose(file);
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result)
{
    return result == NOT_FOUND       ? "Not Found"
           : result == NO_PERMISSION ? "Insufficient Permissions"
                                     : "Success";
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = note;
    return strcmp(uuid, "GPU-stub") == 0 || getenv("NVML_STUB_ANY_GPU") != NULL
               ? SUCCESS
               : NOT_FOUND;
}

/* It moves every 100 ms, as GPUs' counters do. */
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    struct timespec now;

    (void)device;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *millijoules = ((unsigned long long)now.tv_sec * 10 +
                    (unsigned long long)now.tv_nsec / 100000000) *
                   10000;
    return SUCCESS;
}

int nvmlDeviceGetEccMode(void *device, int *current, int *pending);
int nvmlDeviceGetEccMode(void *device, int *current, int *pending)
{
    (void)device;
    *current = *pending = 1;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = clock == 1 ? core_mhz : 3000;
    return SUCCESS;
}

int nvmlDeviceSetGpuLockedClocks(void *device, unsigned low, unsigned high);
int nvmlDeviceSetGpuLockedClocks(void *device, unsigned low, unsigned high)
{
    (void)device;
    (void)low;
    if (getenv("NVML_STUB_REFUSES") != NULL)
        return NO_PERMISSION;
    core_mhz = high;
    note("core", high);
    return SUCCESS;
}

int nvmlDeviceSetMemoryLockedClocks(void *device, unsigned low, unsigned high);
int nvmlDeviceSetMemoryLockedClocks(void *device, unsigned low, unsigned high)
{
    (void)device;
    (void)low;
    note("memory", high);
    return SUCCESS;
}

int nvmlDeviceResetGpuLockedClocks(void *device);
int nvmlDeviceResetGpuLockedClocks(void *device)
{
    (void)device;
    core_mhz = 1500;
    note("core", 0);
    return SUCCESS;
}

int nvmlDeviceResetMemoryLockedClocks(void *device);
int nvmlDeviceResetMemoryLockedClocks(void *device)
{
    (void)device;
    note("memory", 0);
    return SUCCESS;
}
