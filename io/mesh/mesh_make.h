/*
 * mesh_make.h - points and segments to be meshed: the same on every machine for a seed.
 */
#pragma once

#include "io/mesh/mesh_data.h"

typedef enum { MESH_MAKE_RANDOM, MESH_MAKE_GRID, MESH_MAKE_GRADING } mesh_make_kind_t;

/*
 * Make points in the unit square, whose corners are the first four, and its outline as
 * segments.
 *
 * random: of equal density. grid: rows and columns of as many points as fit into n, at
 * equal steps, which are no doubles. grading: ever denser towards the corner (0, 0): the
 * distance of a point is a power of two of a random exponent.
 *
 * @param n  points, at least 4
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t mesh_make(mesh_make_kind_t kind, int64_t n, int64_t seed,
                   mesh_data_t *out) MUST_CHECK;
