/*
 * mesh_svg.h - a mesh as an SVG image.
 */
#pragma once

#include "io/mesh/mesh_data.h"

#include <stdio.h>

/*
 * Draw triangles, coloured by their smallest angle from 0 to 60 degrees, with segments
 * and a key. Write errors are left in the stream's state.
 *
 * @param angle  [n_triangles] degrees
 * @param title  for screen readers
 */
void mesh_svg_write(FILE *to, const mesh_data_t *d, const double *angle,
                    const char *title);
