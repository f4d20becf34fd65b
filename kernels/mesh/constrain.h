/*
 * constrain.h - makes segments edges of a triangulation, which is then the constrained
 * Delaunay triangulation: the circle of a triangle has no vertex that can be seen from
 * inside the triangle across no segment.
 */
#pragma once

#include "kernels/mesh/tri_mesh.h"

/* What is wrong with segments. */
typedef enum { CONSTRAIN_GOOD, CONSTRAIN_CROSS, CONSTRAIN_OVERLAP } constrain_fault_t;

/*
 * Make segments edges.  Where one goes through a vertex, it becomes several parts; edges
 * have the numbers of their parts as those of subsegments.
 *
 * @param m       a triangulation with ghosts
 * @param ends    [n][2] vertices, different ones
 * @param fault   out, on ST_EINPUT: what is wrong with segments `which` of the input
 * @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (not logged)
 */
status_t constrain_mesh(tri_mesh_t *m, int32_t (*ends)[2], int64_t n,
                        constrain_fault_t *fault, int64_t which[2]) MUST_CHECK;

/* Flip edges that are no segments until the triangulation is a constrained Delaunay one.
 * @return how many, or -1: out of memory (logged) */
int64_t constrain_repair(tri_mesh_t *m);
