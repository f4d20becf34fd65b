/*
 * clock_guard.h - gives a GPU's locked clock back when this process ends, however it
 * ends.
 *
 * A process of its own waits for that: no signal handler could call NVIDIA's library, and
 * none runs when the process is killed or crashes.
 */
#ifndef RIBOGRID_CNN_ENERGY_CLOCK_GUARD_H
#define RIBOGRID_CNN_ENERGY_CLOCK_GUARD_H

#include "io/base/status.h"

typedef struct clock_guard clock_guard_t;

/* Start the process, which does nothing yet; call it before threads and CUDA begin.
 * @return ST_OK, ST_ENOMEM or ST_EIO (logged) */
status_t clock_guard_start(clock_guard_t **out) MUST_CHECK;

/* From now on, a GPU's core clock is given back when this process ends.
 * @param uuid  "GPU-...", of device_t @return ST_OK or ST_EIO (logged) */
status_t clock_guard_arm(clock_guard_t *g, const char *uuid) MUST_CHECK;

/* The clock has been given back: end the process.  Takes NULL. */
void clock_guard_end(clock_guard_t *g);

#endif
