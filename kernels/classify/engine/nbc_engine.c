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

kernel_list_t nbc_kernels(void)
{
    kernel_list_t list = {0};

    for (int i = 0; backends[i] != NULL; i++)
        kernel_list_add(&list, backends[i]->name, backends[i]->kind);
    return list;
}

status_t nbc_engine_choose(const nbc_context_t *context, const char *name,
                           const nbc_backend_t **out)
{
    const kernel_list_t list = nbc_kernels();

    for (int i = 0; backends[i] != NULL; i++) {
        const nbc_backend_t *b = backends[i];

        if (b->kind == context->device->kind &&
            (name == NULL || strcmp(b->name, name) == 0) && b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    if (name != NULL && !kernel_list_has(&list, name, context->device->kind))
        return kernel_list_refuse(&list, name, context->device->kind);
    log_error("%s: a model of %lld classes does not fit the memory of this device; "
              "classify on the CPU",
              context->device->name, (long long)context->model->classes->n);
    return ST_EUSAGE;
}
