/*
 * mesh_refine.h - Delaunay refinement: new vertices until all angles are large enough.
 *
 * The result is that of rounds, which are the same on every device and with any number of
 * threads.  A round takes subsegments that are to be cut, and then triangles of the class
 * of shortest edges, up to MESH_ROUND of them.  Each finds its new vertex and the cavity,
 * which is the triangles that this replaces.  Of these, a maximal set is filled whose
 * cavities have no triangle and no neighbour in common: subsegments first, then shorter
 * edges, ties in an order of numbers that is as good as random.  The others wait for the
 * next round.  New vertices and triangles have numbers in the order of the round.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/device/backend.h"
#include "kernels/mesh/tri_mesh.h"

/* Candidates of a round. */
enum { MESH_ROUND = 1 << 16 };

/* What rounds are computed with (mesh_backend.h). */
typedef struct mesh_backend mesh_backend_t;

extern const mesh_backend_t mesh_rounds_backend;
#ifdef RIBOGRID_HAVE_CUDA
extern const mesh_backend_t mesh_rounds_cuda_backend;
#endif

/* Which cavities of a round are filled.  Those below need a GPU, and the mesh depends on
 * who is first. */
typedef enum {
    MESH_ROUNDS,   /* a maximal set */
    MESH_BASE,     /* those that no other with a lower rank is in the way of: marks are
                    * written, written again by lower ranks, and read */
    MESH_ATOMIC,   /* those that lock all their triangles at once */
    MESH_3_PHASE,  /* those of base, and those that can lock theirs while these are as
                    * they were found */
    MESH_STEALING, /* the same; all threads share the new triangles to check */
    MESH_DPAR,     /* as atomic; a child kernel checks the triangles of a cavity */
    MESH_VARIANTS
} mesh_variant_t;

/* By mesh_variant_t, as --variant has them. */
extern const char *const mesh_variant_name[MESH_VARIANTS];

typedef struct {
    const mesh_backend_t *backend; /* NULL: that of processors */
    const device_t *device;        /* a GPU's */

    double min_angle;   /* degrees; 0: any */
    double max_area;    /* 0: any, but those of regions */
    int64_t max_points; /* of the mesh; 0: no limit */
    bool off_center;    /* else centres of circles */
    mesh_variant_t variant;
} mesh_refine_spec_t;

typedef struct {
    int64_t n_rounds, n_cavities; /* filled ones */
    int64_t n_conflicts;          /* candidates that had to wait */
    int64_t n_cut;                /* cavities that cut a subsegment */
    int64_t n_stuck; /* triangles that doubles cannot improve, which stay as they are */
    bool is_partial; /* max_points was reached */
    double kernel_s; /* of a GPU */
} mesh_refine_report_t;

/* Called after each round, or by a GPU after many, where the mesh is as it was at first
 * until the end. @return whether to go on */
typedef bool mesh_refine_progress_t(void *ctx, const tri_mesh_t *m,
                                    const mesh_refine_report_t *report);

/*
 * Refine a mesh.
 *
 * @param m         a constrained Delaunay triangulation with numbered subsegments
 * @param progress  or NULL
 * @return ST_OK, ST_ENOMEM, ST_EINPUT (too large), ST_EUSAGE (a variant that needs a
 *         GPU), ST_EDEVICE or ST_ELOST (all logged), or ST_ESTOPPED by progress
 */
status_t mesh_refine(tri_mesh_t *m, const mesh_refine_spec_t *spec, pool_t *pool,
                     mesh_refine_progress_t *progress, void *ctx,
                     mesh_refine_report_t *report) MUST_CHECK;
