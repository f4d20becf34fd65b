/*
 * mesh_check.h - verifies a mesh of files, by other means than those that make it.
 *
 * It knows triangles as triples of points alone, and finds neighbours by sorting edges.
 */
#pragma once

#include "io/mesh/mesh_data.h"

typedef struct {
    int64_t n_triangles, n_edges, n_used; /* used: points of triangles */
    int64_t n_outline;                    /* edges with one triangle */
    int64_t n_components, n_loops;        /* of the mesh; of its outline */
    int64_t n_segments;                   /* that are edges */
    int64_t n_below;                      /* triangles with an angle below the minimum */
    double min_angle, max_angle;          /* degrees */
    double min_area, max_area;
    int64_t histogram[12]; /* triangles by their smallest angle: of 0 to 5 degrees, ... */
} mesh_check_t;

/*
 * Verify a mesh: triangles turn left; an edge has one triangle, or two on different
 * sides; points - edges + triangles is Euler's number of its components and holes; edges
 * of the outline do not meet but at their ends, so that no triangles overlap; segments
 * are edges; each edge of the outline is a segment, where there are any; every other edge
 * is Delaunay.
 *
 * @param of         what it was made of, or NULL: its points are those of the mesh, and
 *                   each of its segments is a chain of segments of the mesh
 * @param min_angle  for n_below
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT: the first fault (logged)
 */
status_t mesh_check(const mesh_data_t *d, const mesh_data_t *of, double min_angle,
                    mesh_check_t *out) MUST_CHECK;

/* @return the smallest angle of a triangle, in degrees. @param max  out: the largest */
double mesh_check_angles(const mesh_data_t *d, int64_t triangle, double *max);
