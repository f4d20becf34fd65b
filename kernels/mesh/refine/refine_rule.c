/*
 * refine_rule.c - the numbers of a rule; the rest is compiled for GPUs, too.
 */
#include "kernels/mesh/refine/refine_rule.h"

#include "kernels/mesh/exact/mesh_fn.h"
#include "kernels/mesh/exact/predicates.h"

#include <math.h>
#include <string.h>

#include "kernels/mesh/refine/refine_rule_body.h"

/* An off-centre is a little nearer than where the angle is just reached, so that rounding
 * never leaves it too small (the value of Triangle). */
static const double off_center_slack = 0.95;

refine_rule_t refine_rule_make(double min_angle, double max_area, bool off_center)
{
    const double c = cos(min_angle * (3.14159265358979323846 / 180));

    return (refine_rule_t){.min_angle = min_angle,
                           .max_area = max_area,
                           .off_center = off_center && min_angle > 0,
                           .cos2 = c * c,
                           .lens = (2 * c * c - 1) * (2 * c * c - 1),
                           .offset = c < 1
                                         ? off_center_slack * .5 * sqrt((1 + c) / (1 - c))
                                         : 0};
}
