/*
 * energy_meter.h - energy between two moments: of a GPU, of the processors, and how idle
 * the processors were.
 *
 * Sources that a machine lacks are named as absent, never guessed.  The GPU's counter
 * moves about every 100 ms: a window begins and ends right after it has moved, and one of
 * ENERGY_WINDOW_S is right within some 3 %.
 */
#ifndef RIBOGRID_CNN_ENERGY_ENERGY_METER_H
#define RIBOGRID_CNN_ENERGY_ENERGY_METER_H

#include "io/base/buf.h"
#include "kernels/device/device.h"

#include <stdbool.h>

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
 * calls it keeps a clock_guard.h.
 * @return ST_OK, or ST_EDEVICE (logged: no GPU, or no permission) */
status_t energy_meter_lock_clock(energy_meter_t *m, unsigned mhz) MUST_CHECK;

/* @return the clock of the GPU's cores now, in MHz; NAN: unknown */
double energy_meter_clock_mhz(energy_meter_t *m);

/* Takes NULL. */
void energy_meter_destroy(energy_meter_t *m);

#endif
