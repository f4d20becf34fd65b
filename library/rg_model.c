/*
 * rg_model.c - models of classifiers, from files.
 */
#include "library/rg_model.h"

#include "io/base/logmsg.h"
#include "library/rg_file.h"

#include <stdlib.h>

static status_t read_model(rg_context_t *context, const char *path, void *what)
{
    rg_model_t *m = calloc(1, sizeof(*m)), **out = what;
    status_t st;

    if (m == NULL)
        return log_nomem("a model");
    if ((st = class_loaded_read(path, context->pool, &m->loaded)) != ST_OK) {
        free(m);
        return st;
    }
    atomic_store(&m->n_owners, 1);
    *out = m;
    return ST_OK;
}

rg_status_t rg_model_read(rg_context_t *context, const char *path, rg_model_t **out)
{
    return rg_file_read(context, path, read_model, out);
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
