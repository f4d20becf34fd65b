/*
 * mesh_assemble.h - triangles of a file as a mesh whose triangles know their neighbours,
 * with all that may be wrong with them named.
 */
#pragma once

#include "io/mesh/mesh_data.h"
#include "kernels/mesh/tri_mesh.h"

/*
 * Link triangles, and make segments parts of the mesh.
 *
 * Refuses equal points, triangles that are flat or turn right, edges with three
 * triangles, vertices within an edge, segments that are no edges.
 *
 * @param m  the points of `d`; out: triangles, whose edges have numbers of parts
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t mesh_assemble(const mesh_data_t *d, tri_mesh_t *m) MUST_CHECK;

/* @return an edge that is not Delaunay and no segment, or MESH_NONE */
int32_t mesh_find_illegal(const tri_mesh_t *m);
