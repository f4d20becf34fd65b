/*
 * nvml.c - NVIDIA's management library, opened at run time.
 */
#include "cnn/energy/energy_meter.h"

#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Prototypes and values after the library's public documentation (NVML API reference). */
typedef int result_t; /* 0: success */
typedef struct device *handle_t;
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2 };

typedef struct {
    result_t (*init)(void);
    result_t (*shutdown)(void);
    const char *(*error)(result_t);
    result_t (*by_uuid)(const char *, handle_t *);
    result_t (*energy)(handle_t, unsigned long long *);
    result_t (*ecc)(handle_t, int *, int *);
    result_t (*clock)(handle_t, int, unsigned *);
    result_t (*lock_core)(handle_t, unsigned, unsigned);
    result_t (*lock_memory)(handle_t, unsigned, unsigned);
    result_t (*unlock_core)(handle_t);
    result_t (*unlock_memory)(handle_t);
} functions_t;

struct nvml {
    void *library;
    functions_t call;
    handle_t device;
    bool is_locked, is_memory_locked;
};

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
    {"nvmlInit_v2", offsetof(functions_t, init)},
    {"nvmlShutdown", offsetof(functions_t, shutdown)},
    {"nvmlErrorString", offsetof(functions_t, error)},
    {"nvmlDeviceGetHandleByUUID", offsetof(functions_t, by_uuid)},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(functions_t, energy)},
    {"nvmlDeviceGetEccMode", offsetof(functions_t, ecc)},
    {"nvmlDeviceGetClockInfo", offsetof(functions_t, clock)},
    {"nvmlDeviceSetGpuLockedClocks", offsetof(functions_t, lock_core)},
    {"nvmlDeviceSetMemoryLockedClocks", offsetof(functions_t, lock_memory)},
    {"nvmlDeviceResetGpuLockedClocks", offsetof(functions_t, unlock_core)},
    {"nvmlDeviceResetMemoryLockedClocks", offsetof(functions_t, unlock_memory)},
};

enum { N_SYMBOLS = sizeof(symbols) / sizeof(symbols[0]) };

/* @return whether the library has all functions */
static bool find_functions(nvml_t *n, char *why)
{
    for (int i = 0; i < N_SYMBOLS; i++) {
        void *at = dlsym(n->library, symbols[i].name);

        if (at == NULL) {
            snprintf(why, NVML_WHY_BYTES, "the NVIDIA driver's library lacks %s",
                     symbols[i].name);
            return false;
        }
        *(void **)((char *)&n->call + symbols[i].at) = at;
    }
    return true;
}

nvml_t *nvml_open(const char *uuid, char *why)
{
    nvml_t *n = calloc(1, sizeof(*n));
    result_t result;

    if (n == NULL) {
        snprintf(why, NVML_WHY_BYTES, "there is no memory for it");
        return NULL;
    }
    if ((n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) == NULL) {
        snprintf(why, NVML_WHY_BYTES,
                 "libnvidia-ml.so.1 of the NVIDIA driver is missing");
        free(n);
        return NULL;
    }
    if (!find_functions(n, why)) {
        dlclose(n->library);
        free(n);
        return NULL;
    }
    if ((result = n->call.init()) == 0) {
        if ((result = n->call.by_uuid(uuid, &n->device)) == 0)
            return n;
        n->call.shutdown();
    }
    snprintf(why, NVML_WHY_BYTES, "NVML: %s", n->call.error(result));
    dlclose(n->library);
    free(n);
    return NULL;
}

bool nvml_energy_j(nvml_t *n, double *out)
{
    unsigned long long millijoules;

    if (n->call.energy(n->device, &millijoules) != 0)
        return false;
    *out = (double)millijoules / 1e3;
    return true;
}

bool nvml_ecc(nvml_t *n, bool *out)
{
    int current, pending;

    if (n->call.ecc(n->device, &current, &pending) != 0)
        return false;
    *out = current != 0;
    return true;
}

bool nvml_clocks_mhz(nvml_t *n, unsigned *core, unsigned *memory)
{
    return n->call.clock(n->device, CLOCK_SM, core) == 0 &&
           n->call.clock(n->device, CLOCK_MEMORY, memory) == 0;
}

static status_t cannot_lock(const nvml_t *n, const char *what, unsigned mhz,
                            result_t result)
{
    log_error("cannot lock the GPU's %s clock at %u MHz: %s; run as root, or leave out "
              "--clocks",
              what, mhz, n->call.error(result));
    return ST_EDEVICE;
}

status_t nvml_lock_clocks(nvml_t *n, unsigned core, unsigned memory)
{
    result_t result = n->call.lock_core(n->device, core, core);

    if (result != 0)
        return cannot_lock(n, "core", core, result);
    n->is_locked = true;
    if (memory == 0)
        return ST_OK;
    if ((result = n->call.lock_memory(n->device, memory, memory)) != 0)
        return cannot_lock(n, "memory", memory, result);
    n->is_memory_locked = true;
    return ST_OK;
}

static void unlock_clocks(nvml_t *n)
{
    if (n->is_locked)
        n->call.unlock_core(n->device);
    if (n->is_memory_locked)
        n->call.unlock_memory(n->device);
    n->is_locked = n->is_memory_locked = false;
}

void nvml_reset_core_clock(nvml_t *n)
{
    n->call.unlock_core(n->device);
}

void nvml_close(nvml_t *n)
{
    if (n == NULL)
        return;
    unlock_clocks(n);
    n->call.shutdown();
    dlclose(n->library);
    free(n);
}
