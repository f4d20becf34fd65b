/*
 * plan_cost.h - operations and bytes of a step.
 */
#ifndef RIBOGRID_CNN_PLAN_PLAN_COST_H
#define RIBOGRID_CNN_PLAN_PLAN_COST_H

#include "kernels/cnn/common/cnn_program.h"

/*
 * Fill in flops and bytes of a step.
 *
 * Products and sums of convolutions and linear layers are counted exactly, a
 * multiplication and an addition as two; padding counts as if it were multiplied, as
 * usual.  Of other steps the number of operations per element is approximate; roots,
 * powers and exponentials count as one.
 */
void plan_cost_fill(const cnn_program_t *program, cnn_step_t *step);

#endif
