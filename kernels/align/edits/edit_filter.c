#include "kernels/align/edits/edit_filter.h"

#include "io/base/logmsg.h"
#include "kernels/align/edits/edit_filter_backend.h"

#include <stdlib.h>

struct edit_filter {
    edit_filter_plan_t plan;
    const edit_filter_backend_t *row;
    void *state;
};

static const edit_filter_backend_t *row_of(device_kind_t kind)
{
    static const edit_filter_backend_t *const rows[] = {
#ifdef RIBOGRID_HAVE_CUDA
        &edit_filter_cuda_backend,
#endif
        &edit_filter_cpu_backend};

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k]->kind == kind)
            return rows[k];
    return NULL;
}

status_t edit_filter_create(const align_context_t *context, fraction_t part,
                            edit_filter_t **out)
{
    edit_filter_t *e = calloc(1, sizeof(*e));
    status_t st;

    if (e == NULL)
        return log_nomem("a filter by edits");
    e->plan = (edit_filter_plan_t){.device = context->device,
                                   .pool = context->pool,
                                   .set = context->set,
                                   .spec = context->spec,
                                   .run = context->run};
    e->row = row_of(context->device->kind);
    if (e->row == NULL) {
        log_error("edits: this build has no filter for %s", context->device->name);
        st = ST_EDEVICE;
    } else if ((st = edit_filter_bound_create(context->spec, part,
                                              seqset_max_len(context->set),
                                              &e->plan.bound)) == ST_OK) {
        st = e->row->create(&e->plan, &e->state);
    }
    if (st != ST_OK) {
        edit_filter_destroy(e);
        return st;
    }
    *out = e;
    return ST_OK;
}

status_t edit_filter_run(edit_filter_t *edits, const pair_batch_t *batch, uint8_t *keep)
{
    return edits->row->run(edits->state, batch, keep);
}

void edit_filter_destroy(edit_filter_t *edits)
{
    if (edits == NULL)
        return;
    if (edits->row != NULL)
        edits->row->destroy(edits->state);
    edit_filter_bound_free(&edits->plan.bound);
    free(edits);
}
