/*
 * swap_time.h - how long a program takes whose copies run beside its steps.
 */
#pragma once

#include "io/base/status.h"
#include "kernels/cnn/common/cnn_program.h"

/*
 * Compute the seconds of an iteration of a program, when others ran before.
 *
 * Copies are in queues of their own, one for each direction (unless they wait): a step
 * waits for what it reads, and for the memory of what it writes.
 *
 * @param seconds    [n_steps] of each step and copy alone
 * @param is_serial  copies run between the steps
 * @return ST_OK or ST_ENOMEM
 */
status_t swap_time_run(const cnn_program_t *program, const double *seconds,
                       bool is_serial, double *out) MUST_CHECK;
