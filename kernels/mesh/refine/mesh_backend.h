/*
 * mesh_backend.h - rounds on a GPU: the mesh stays there, candidates go there, and what
 * became of them, and what is to be refined next, comes back.
 */
#pragma once

#include "kernels/mesh/refine/refine_state.h"

typedef struct refine_gpu refine_gpu_t;

/* What rounds are computed with. */
struct mesh_backend {
    backend_t base; /* its rate: points per second */

    /* A GPU's (else NULL): copy a mesh there.
     * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST (logged) */
    status_t (*create)(const refine_t *r, const device_t *device, refine_gpu_t **out);

    /*
     * Compute a round but for the numbers that the host counts: fill in each candidate's
     * fate, n_hit, n_borders - n_inside as n_borders, and at, from where its hits begin
     * in r->hits; and the lists of the first chunk.
     */
    status_t (*round)(refine_gpu_t *g, refine_t *r);

    /* Copy the mesh back. */
    status_t (*finish)(refine_gpu_t *g, tri_mesh_t *m);

    void (*destroy)(refine_gpu_t *g); /* takes NULL */
};
