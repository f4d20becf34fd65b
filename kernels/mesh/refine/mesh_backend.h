/*
 * mesh_backend.h - what rounds are computed with: processors (mesh_refine.c), or a GPU,
 * which has the mesh and its queues until nothing is left to be refined.
 */
#pragma once

#include "kernels/mesh/refine/refine_state.h"

struct mesh_backend {
    backend_t base; /* its rate: points per second */

    /*
     * A GPU's (else NULL): refine a mesh whose queues are filled, and copy it back.
     *
     * @return ST_OK, ST_ENOMEM, ST_EINPUT, ST_EDEVICE or ST_ELOST (logged), or
     *         ST_ESTOPPED
     */
    status_t (*run)(refine_t *r, mesh_refine_progress_t *progress, void *ctx);
};
