/*
 * rg_model.c - models of classifiers, from files.
 */
#include "library/rg_model.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5guest.h"
#include "library/rg_context.h"

#include <stdlib.h>

static status_t read_model(rg_context_t *context, const char *path, rg_model_t **out)
{
    rg_model_t *m = calloc(1, sizeof(*m));
    status_t st;

    if (m == NULL)
        return log_nomem("a model");
    h5guest_begin();
    st = class_loaded_read(path, context->pool, &m->loaded);
    h5guest_end();
    if (st != ST_OK) {
        free(m);
        return st;
    }
    atomic_store(&m->n_owners, 1);
    *out = m;
    return ST_OK;
}

rg_status_t rg_model_read(rg_context_t *context, const char *path, rg_model_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (path != NULL && out != NULL)
        st = read_model(context, path, out);
    return rg_context_leave(context, before, st);
}

rg_model_t *rg_model_share(const rg_model_t *model)
{
    rg_model_t *shared = (rg_model_t *)(uintptr_t)model;

    atomic_fetch_add(&shared->n_owners, 1);
    return shared;
}

void rg_model_destroy(rg_model_t *m)
{
    if (m == NULL || atomic_fetch_sub(&m->n_owners, 1) > 1)
        return;
    class_loaded_destroy(m->loaded);
    free(m);
}
