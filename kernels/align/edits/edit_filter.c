/*
 * edit_filter.c - makes the bound, and leaves the work to the backend of the device.
 */
#include "kernels/align/edits/edit_filter.h"

#include "io/base/logmsg.h"
#include "kernels/align/edits/edit_filter_backend.h"

#include <stdlib.h>
#include <string.h>

struct edit_filter {
    edit_filter_plan_t plan;
    const edit_filter_backend_t *backend;
    void *state; /* NULL: the backend does not support the alignment */
};

static const backend_t *const rows[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &edit_filter_cuda_backend.base,
#endif
    &edit_filter_cpu_backend.base,
    NULL,
};

static const backend_table_t table = {.name = "edit filter", .rows = rows};

status_t edit_filter_create(const align_context_t *context, fraction_t identity,
                            edit_filter_t **out)
{
    edit_filter_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("the edit filter");
    f->plan.context = *context;
    f->backend =
        (const edit_filter_backend_t *)backend_find(&table, NULL, context->device->kind);
    if (f->backend == NULL) {
        log_error("edit filter: this build has no code for %s; build it with CUDA",
                  context->device->name);
        st = ST_EDEVICE;
    } else if ((st = edit_filter_bound_create(context->spec, identity,
                                              seqset_max_len(context->set),
                                              &f->plan.bound)) == ST_OK &&
               align_support_has(&f->backend->supports, context->spec)) {
        st = f->backend->create(&f->plan, &f->state);
    }
    if (st != ST_OK) {
        edit_filter_destroy(f);
        return st;
    }
    *out = f;
    return ST_OK;
}

status_t edit_filter_run(edit_filter_t *filter, const pair_batch_t *batch, uint8_t *keep)
{
    if (align_cancelled(filter->plan.context.run.cancel))
        return ST_ESTOPPED;
    if (filter->state != NULL)
        return filter->backend->run(filter->state, batch, keep);
    memset(keep, 1, (size_t)batch->n);
    return ST_OK;
}

void edit_filter_destroy(edit_filter_t *filter)
{
    if (filter == NULL)
        return;
    if (filter->state != NULL)
        filter->backend->destroy(filter->state);
    edit_filter_bound_free(&filter->plan.bound);
    free(filter);
}
