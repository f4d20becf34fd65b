#include "kernels/align/pair_edits.h"

#include "io/logmsg.h"
#include "kernels/align/edits_row.h"

#include <stdlib.h>

struct pair_edits {
    edits_plan_t plan;
    const edits_row_t *row;
    void *state;
};

static const edits_row_t *row_of(device_kind_t kind)
{
    static const edits_row_t *const rows[] = {
#ifdef RIBOGRID_HAVE_CUDA
        &edits_cuda_row,
#endif
        &edits_cpu_row};

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k]->kind == kind)
            return rows[k];
    return NULL;
}

status_t pair_edits_create(const device_t *device, pool_t *pool, const seqset_t *set,
                           const align_spec_t *spec, align_part_t part,
                           pair_edits_t **out)
{
    pair_edits_t *e = calloc(1, sizeof(*e));
    status_t st;

    if (e == NULL)
        return log_nomem("a filter by edits");
    e->plan = (edits_plan_t){.device = device, .pool = pool, .set = set, .spec = spec};
    e->row = row_of(device->kind);
    if (e->row == NULL) {
        log_error("edits: this build has no filter for %s", device->name);
        st = ST_EDEVICE;
    } else if ((st = edits_bound_create(spec, part, seqset_max_len(set),
                                        &e->plan.bound)) == ST_OK) {
        st = e->row->create(&e->plan, &e->state);
    }
    if (st != ST_OK) {
        pair_edits_destroy(e);
        return st;
    }
    *out = e;
    return ST_OK;
}

status_t pair_edits_run(pair_edits_t *edits, const pair_batch_t *batch, uint8_t *keep)
{
    return edits->row->run(edits->state, batch, keep);
}

void pair_edits_destroy(pair_edits_t *edits)
{
    if (edits == NULL)
        return;
    if (edits->row != NULL)
        edits->row->destroy(edits->state);
    edits_bound_free(&edits->plan.bound);
    free(edits);
}
