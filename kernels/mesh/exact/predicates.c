/*
 * predicates.c - determinants with a bound of their error, then as expansions.
 */
#include "kernels/mesh/exact/predicates.h"

#include "kernels/mesh/exact/mesh_fn.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/mesh/exact/predicates_body.h"
