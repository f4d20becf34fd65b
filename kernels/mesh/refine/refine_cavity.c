/*
 * refine_cavity.c - where the new vertices of a chunk go, and which triangles they
 * replace.
 */
#include "kernels/mesh/exact/mesh_fn.h"
#include "kernels/mesh/exact/predicates.h"
#include "kernels/mesh/refine/refine_state.h"

#include "kernels/mesh/refine/refine_cavity_body.h"

void refine_find_chunk(void *ctx, int64_t number, int thread)
{
    refine_t *r = ctx;
    refine_chunk_t *chunk = &r->chunk[number];
    const int64_t first = number * REFINE_CHUNK;
    buf_t outline = {0};

    (void)thread;
    chunk->cavities.len = 0;
    for (int64_t k = first; k < first + REFINE_CHUNK && k < r->n; k++) {
        refine_candidate_t *c = &r->candidate[k];

        if (find(&r->view, chunk, k, c, &outline) != ST_OK)
            chunk->has_failed = true;
    }
    buf_free(&outline);
}
