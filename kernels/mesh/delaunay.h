/*
 * delaunay.h - the Delaunay triangulation of points, made one point at a time, and the
 * walk to the triangle that has a point.
 */
#pragma once

#include "kernels/mesh/tri_mesh.h"

/*
 * Triangulate the points of a mesh, in their order, which should be that of
 * spatial_order.h.
 *
 * Each edge of the hull gets a ghost triangle outside, whose third vertex is MESH_GHOST.
 *
 * @param m     points alone
 * @param twin  [n_points] out: of a point that is equal to one in the mesh, that one;
 * else MESH_NONE
 * @return ST_OK, ST_ENOMEM (logged), or ST_EINPUT (not logged): all points lie on a line
 */
status_t delaunay_make(tri_mesh_t *m, int32_t *twin) MUST_CHECK;

/* @return whether a triangle is one outside */
static inline bool delaunay_is_ghost(const mesh_tri_t *t)
{
    return t->v[0] == MESH_GHOST || t->v[1] == MESH_GHOST || t->v[2] == MESH_GHOST;
}

/*
 * Walk to a triangle that has a point, across segments, too.
 *
 * @param from  where to begin
 * @return the triangle, or a ghost if the point lies outside the hull; of constrained
 *         triangulations also MESH_NONE: the walk went in circles
 */
int32_t delaunay_locate(const tri_mesh_t *m, const double p[2], int32_t from);
