/*
 * predicates.h - on which side of a line, or of a circle, a point lies: always the right
 * answer.
 *
 * A determinant is computed in doubles, with a bound of its error (Shewchuk 1997).  Where
 * that does not decide, it is computed again as an expansion: a sum of doubles without
 * common bits, which is exact.  The file is compiled with -ffp-contract=off, because a
 * product that is fused with a sum is not the rounded one whose error is computed.
 *
 * Exact for coordinates that are 0 or of PREDICATES_MIN .. PREDICATES_MAX: no product
 * overflows or loses bits at the small end.
 */
#pragma once

#include "kernels/mesh/exact/mesh_fn.h"

#define PREDICATES_MIN 1e-60
#define PREDICATES_MAX 1e60

/* @return above 0: a, b, c turn left; below 0: right; 0: they lie on a line */
MESH_FN double orient2d(const double a[2], const double b[2], const double c[2]);

/* @return above 0: d lies inside the circle through a, b, c, which turn left; below 0:
 * outside; 0: on it */
MESH_FN double incircle(const double a[2], const double b[2], const double c[2],
                        const double d[2]);
