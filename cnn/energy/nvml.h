/*
 * nvml.h - energy, clocks and state of a GPU through NVIDIA's management library.
 *
 * The library is opened at run time (libnvidia-ml.so.1), so that the program needs no
 * driver; its functions are declared by us.  The energy counter is in millijoules, needs
 * no privilege and moves about every 100 ms, so what is measured must last some seconds.
 */
#ifndef RIBOGRID_CNN_ENERGY_NVML_H
#define RIBOGRID_CNN_ENERGY_NVML_H

#include "io/base/status.h"

#include <stdbool.h>

enum { NVML_WHY_BYTES = 160 };

typedef struct nvml nvml_t;

/*
 * Open the library and find a GPU.
 *
 * @param uuid  "GPU-...", of device_t
 * @param why   out, [NVML_WHY_BYTES]: why there is none, for people
 * @return it, or NULL
 */
nvml_t *nvml_open(const char *uuid, char *why);

/* Read the GPU's energy since the driver was loaded, in joules. @return whether it has
 * such a counter */
bool nvml_energy_j(nvml_t *n, double *out);

/* Read whether memory has error correction. @return whether the GPU says so */
bool nvml_ecc(nvml_t *n, bool *out);

/* Read the clocks of multiprocessors and memory, in MHz. */
bool nvml_clocks_mhz(nvml_t *n, unsigned *core, unsigned *memory);

/*
 * Lock the clocks; nvml_close gives them back to the driver.
 *
 * @param memory  0: leave it
 * @return ST_OK, or ST_EDEVICE (logged: the GPU or the permissions do not allow it)
 */
status_t nvml_lock_clocks(nvml_t *n, unsigned core, unsigned memory) MUST_CHECK;

/* Give the core clock back to the driver, whoever has locked it. */
void nvml_reset_core_clock(nvml_t *n);

/* Takes NULL. */
void nvml_close(nvml_t *n);

#endif
