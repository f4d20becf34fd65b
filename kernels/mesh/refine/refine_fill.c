/*
 * refine_fill.c - replaces the cavities of a round by triangles around their new
 * vertices.
 */
#include "kernels/mesh/exact/mesh_fn.h"
#include "kernels/mesh/refine/refine_state.h"

#include <string.h>

#include "kernels/mesh/refine/refine_fill_body.h"

void refine_fill_chunk(void *ctx, int64_t number, int thread)
{
    refine_t *r = ctx;
    refine_chunk_t *chunk = &r->chunk[number];
    const int64_t first = number * REFINE_CHUNK;

    (void)thread;
    chunk->bad.len = chunk->cut.len = 0;
    for (int64_t k = first; k < first + REFINE_CHUNK && k < r->n; k++) {
        const refine_candidate_t *c = &r->candidate[k];
        fill_t f = {.r = &r->view, .chunk = chunk, .c = c};

        if (c->fate != REFINE_WINS || c->new_point == MESH_NONE)
            continue;
        f.inside = refine_inside(r, k);
        f.border = refine_borders(r, k);
        f.is_closed = !c->is_sub || c->turn < c->n_borders;
        fill(&f);
        check_new(&f);
    }
}

void refine_check_chunk(void *ctx, int64_t number, int thread)
{
    refine_t *r = ctx;
    fill_t f = {.r = &r->view, .chunk = &r->chunk[number]};
    const int64_t n = r->view.m->n_triangles, end = (number + 1) * n / REFINE_CHUNKS;

    (void)thread;
    for (int64_t k = number * n / REFINE_CHUNKS; k < end; k++)
        check_triangle(&f, (int32_t)k);
}
