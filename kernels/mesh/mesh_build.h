/*
 * mesh_build.h - from what files have to a mesh that can be refined, and back.
 */
#pragma once

#include "io/mesh/mesh_data.h"
#include "kernels/mesh/tri_mesh.h"

typedef struct {
    tri_mesh_t m;
    int32_t *original; /* [n_given] the number in the file of each given point */
    int64_t n_merged;  /* points that are equal to others, which stand for them */
    int64_t n_flips;   /* that repaired triangles of a file */
    int64_t n_sharp;   /* corners of segments below 60 degrees */
} mesh_build_t;

/*
 * Link the triangles of a file, or triangulate points and segments.
 *
 * @param d       what was read; borrowed until the end
 * @param repair  flip triangles of a file that are not Delaunay; else refuse them
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged)
 */
status_t mesh_build(const mesh_data_t *d, bool repair, mesh_build_t *out) MUST_CHECK;

/*
 * Make what files of the mesh have: the given points as they were, then new ones;
 * attributes of new ones are those between their neighbours. Triangles have the attribute
 * of their region, if there are regions.
 *
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t mesh_build_data(const mesh_build_t *b, const mesh_data_t *d,
                         mesh_data_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void mesh_build_free(mesh_build_t *b);
