/*
 * spatial_order.h - an order of points in which successive ones are near each other.
 */
#pragma once

#include "io/base/status.h"

#include <stdint.h>

/*
 * Order points for insertion one by one: in rounds, each with twice the points of the one
 * before, taken at random (Amenta, Choi, Rote 2003); in a round along Hilbert's curve.
 * The same order on every machine.
 *
 * @param order  [n] out: numbers of points
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t spatial_order(double (*p)[2], int64_t n, int32_t *order) MUST_CHECK;
