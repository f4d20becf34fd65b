/*
 * cnn_rates.h - how long the steps of a program take on a device: measured once for a
 * network whose tensors are all in memory, then computed for any program that cnn/memory
 * makes of it.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"
#include "kernels/device/device.h"

#include <stdbool.h>

enum { CNN_RATES_KERNEL_BYTES = 32 };

/* What was measured of one program of training. */
typedef struct {
    char kernel[CNN_RATES_KERNEL_BYTES]; /* the backend's name */
    device_kind_t device;
    int n_threads;              /* of a CPU's pool; 0: not known */
    double iteration_s;         /* all steps, as they run */
    double kind_s[CNN_N_KINDS]; /* each kind alone; 0: none, or run as one with others */
    double in_per_s, out_per_s; /* bytes that copies move; 0: not known */
} cnn_rates_t;

/* @return NULL, or why rates cannot be those of a program: what is missing or no rate;
 * copies may be unknown */
const char *cnn_rates_check(const cnn_rates_t *r, const cnn_program_t *program);

/* cnn_rates_keep.c: rates stay for later runs, in the file "rates" (io/store). */

/* Keep rates of a program, in place of those of the same program on the same kind of
 * device. */
void cnn_rates_keep(const cnn_rates_t *r, const cnn_program_t *program);

/*
 * Find rates that were kept; others than valid ones are none.
 *
 * @param program  that was measured
 * @param found    whether there are any
 * @return ST_OK or ST_ENOMEM
 */
status_t cnn_rates_find(const cnn_program_t *program, device_kind_t device,
                        cnn_rates_t *out, bool *found) MUST_CHECK;

/* cnn_rates_time.c: times that follow. */

/*
 * Compute the seconds of an iteration of a program.
 *
 * The measured time of a kind is divided among its steps by their operations
 * (convolutions, linear layers) or bytes, and all times are scaled so that the steps of
 * the measured program take what it took as a whole.  On a GPU copies are in queues of
 * their own, beside the steps (unless they wait): a step waits for what it reads, and for
 * the memory of what it writes.  Steps that are placed on the CPU run between those of
 * the device, as fast as the CPU's rates say.
 *
 * @param on_cpu    rates of the CPU beside a GPU; NULL: not known
 * @param measured  whose rates these are
 * @param program   the same network and batch, with another arena, or placed otherwise
 * @param out       seconds
 * @return ST_OK, ST_ENOMEM, or ST_EUSAGE where rates of copies, or of steps on the CPU,
 *         are needed and unknown
 */
status_t cnn_rates_time(const cnn_rates_t *r, const cnn_rates_t *on_cpu,
                        const cnn_program_t *measured, const cnn_program_t *program,
                        double *out) MUST_CHECK;
