/*
 * carve.h - removes what is no part of the domain from a triangulation: ghosts, what is
 * outside the outline, and holes; and gives triangles their regions.
 */
#pragma once

#include "kernels/mesh/tri_mesh.h"

typedef enum {
    CARVE_GOOD,
    CARVE_HOLE_OUTSIDE,   /* a hole's point is not in the domain */
    CARVE_REGION_OUTSIDE, /* a region's point is not in the domain */
    CARVE_OPEN,           /* nothing is left without any hole */
    CARVE_EMPTY           /* a hole takes all that is left */
} carve_fault_t;

typedef struct {
    bool is_convex;      /* keep what lies between the outline and the convex hull */
    double (*hole)[2];   /* [n_holes] */
    double (*region)[2]; /* [n_regions], of mesh region 1 + k */
    int64_t n_holes, n_regions;
} carve_t;

/*
 * Carve, and number subsegments: each part, and each edge of the outline that is none,
 * becomes one.
 *
 * @param m      a triangulation with ghosts
 * @param which  out, on ST_EINPUT: the hole or region
 * @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (not logged)
 */
status_t carve_mesh(tri_mesh_t *m, const carve_t *what, carve_fault_t *fault,
                    int64_t *which) MUST_CHECK;

/* Number subsegments; edges have the numbers of their parts so far. Edges on the outline
 * that are none become parts.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t carve_number(tri_mesh_t *m) MUST_CHECK;
