/*
 * nbc_engine.c - the table of naive Bayes backends, and the choice of one.
 */
#include "kernels/classify/engine/nbc_engine.h"

#include "io/base/logmsg.h"
#include "kernels/classify/nbc_cpu.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/classify/cuda/nbc_cuda.h"
#endif
#include "kernels/classify/nbc_reference.h"

#include <string.h>

/* `reference` is last: others are faster. */
static const nbc_backend_t *const backends[] = {
    &nbc_cpu_backend,
#ifdef RIBOGRID_HAVE_CUDA
    &nbc_cuda_backend,
#endif
    &nbc_reference_backend,
    NULL,
};

const nbc_backend_t *const *nbc_engine_backends(void)
{
    return backends;
}

static status_t refuse_name(const nbc_context_t *context, const char *name)
{
    buf_t names = {0};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && backends[i] != NULL; i++)
        if (backends[i]->kind == context->device->kind)
            st = buf_printf(&names, " %s", backends[i]->name);
    if (st == ST_OK) {
        log_error("there is no naive Bayes kernel '%s' for this device; choose from:%.*s",
                  name, (int)names.len, (const char *)names.data);
        st = ST_EUSAGE;
    }
    buf_free(&names);
    return st;
}

status_t nbc_engine_choose(const nbc_context_t *context, const char *name,
                           const nbc_backend_t **out)
{
    bool exists = name == NULL;

    for (int i = 0; backends[i] != NULL; i++) {
        const nbc_backend_t *b = backends[i];

        if (b->kind != context->device->kind ||
            (name != NULL && strcmp(b->name, name) != 0))
            continue;
        exists = true;
        if (b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    if (!exists)
        return refuse_name(context, name);
    log_error("%s: a model of %lld classes does not fit the memory of this device; "
              "classify on the CPU",
              context->device->name, (long long)context->model->classes->n);
    return ST_EUSAGE;
}
