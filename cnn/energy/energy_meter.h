/*
 * energy_meter.h - energy between two moments: of a GPU, of the processors, and how idle
 * the processors were.
 *
 * Sources that a machine lacks are named as absent, never guessed.  The GPU's counter
 * moves about every 100 ms: a window begins and ends right after it has moved, and one of
 * ENERGY_WINDOW_S is right within some 3 %.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/status.h"
#include "kernels/device/device.h"

#include <stdbool.h>

/* Energy of the processors through Linux' powercap files (RAPL).
 *
 * Only whole packages are added up; their parts (cores, memory controllers) are within
 * them.  Counters are in microjoules and wrap around. */

#define RAPL_FOLDER "/sys/class/powercap"

enum { RAPL_PACKAGES_MAX = 16, RAPL_WHY_BYTES = 320 };

typedef struct {
    int n;
    char file[RAPL_PACKAGES_MAX][256]; /* energy_uj */
    double range_j[RAPL_PACKAGES_MAX]; /* where the counter wraps */
    double last_j[RAPL_PACKAGES_MAX];
    double total_j;
} rapl_t;

/*
 * Find the packages and begin at 0 joules.
 *
 * @param folder  RAPL_FOLDER
 * @param why     out, [RAPL_WHY_BYTES]: why there are none, for people
 * @return whether there are any that this user may read
 */
bool rapl_open(rapl_t *r, const char *folder, char *why);

/* Read the joules since rapl_open; must be called before a counter has wrapped twice,
 * which takes minutes. @return whether it could be read */
bool rapl_energy_j(rapl_t *r, double *out);

/* nvml.c: energy, clocks and state of a GPU through NVIDIA's management library.
 *
 * The library is opened at run time (libnvidia-ml.so.1), so that the program needs no
 * driver; its functions are declared by us.  The energy counter is in millijoules, needs
 * no privilege and moves about every 100 ms, so what is measured must last some seconds.
 */

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

/* The shortest window worth measuring, in seconds. */
#define ENERGY_WINDOW_S 3.0

typedef struct energy_meter energy_meter_t;

/* Values whose source is absent are NAN. */
typedef struct {
    double seconds;
    double gpu_j;    /* of the device, if it is a GPU */
    double cpu_j;    /* of all processors of this machine */
    double cpu_idle; /* part of their time, of all processes */
} energy_window_t;

/*
 * Find the sources of energy.
 *
 * @param device  whose energy is measured; processors are measured as well
 * @return ST_OK or ST_ENOMEM
 */
status_t energy_meter_create(const device_t *device, energy_meter_t **out) MUST_CHECK;

/* @return whether there is any source of energy */
bool energy_meter_has_source(const energy_meter_t *m);

/* Append what is measured and what is absent and why, one line per source, and the GPU's
 * clocks and state of error correction. @return ST_OK or ST_ENOMEM */
status_t energy_meter_describe(energy_meter_t *m, buf_t *out) MUST_CHECK;

/* Begin and end a window; the caller has waited for its device. */
void energy_meter_begin(energy_meter_t *m);
energy_window_t energy_meter_end(energy_meter_t *m);

/* Lock the clock of the GPU's cores, until energy_meter_destroy; whoever
 * calls it keeps a clock_guard.c.
 * @return ST_OK, or ST_EDEVICE (logged: no GPU, or no permission) */
status_t energy_meter_lock_clock(energy_meter_t *m, unsigned mhz) MUST_CHECK;

/* @return the clock of the GPU's cores now, in MHz; NAN: unknown */
double energy_meter_clock_mhz(energy_meter_t *m);

/* Takes NULL. */
void energy_meter_destroy(energy_meter_t *m);

/* clock_guard.c: gives a GPU's locked clock back when this process ends, however it
 * ends.
 *
 * A process of its own waits for that: no signal handler could call NVIDIA's library, and
 * none runs when the process is killed or crashes. */

typedef struct clock_guard clock_guard_t;

/* Start the process, which does nothing yet; call it before threads and CUDA begin.
 * @return ST_OK, ST_ENOMEM or ST_EIO (logged) */
status_t clock_guard_start(clock_guard_t **out) MUST_CHECK;

/* From now on, a GPU's core clock is given back when this process ends.
 * @param uuid  "GPU-...", of device_t @return ST_OK or ST_EIO (logged) */
status_t clock_guard_arm(clock_guard_t *g, const char *uuid) MUST_CHECK;

/* The clock has been given back: end the process.  Takes NULL. */
void clock_guard_end(clock_guard_t *g);
