/*
 * cnn_engine.c - the table of CNN backends, and the choice of one.
 */
#include "kernels/cnn/engine/cnn_engine.h"

#include "io/base/logmsg.h"
#include "kernels/cnn/cpu/cpu_cnn.h"
#include "kernels/cnn/serial/serial_cnn.h"
#ifdef RIBOGRID_HAVE_CUDNN
#include "kernels/cnn/cudnn/cudnn_cnn.h"
#endif
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/cnn/native/native_cnn.h"
#endif

#include <string.h>

/* `serial` is last: others are faster. */
static const cnn_backend_t *const backends[] = {
    &cpu_cnn_backend,
#ifdef RIBOGRID_HAVE_CUDNN
    &cudnn_cnn_backend,
#endif
#ifdef RIBOGRID_HAVE_CUDA
    &native_cnn_backend,
#endif
    &serial_cnn_backend, NULL,
};

const cnn_backend_t *const *cnn_backends(void)
{
    return backends;
}

kernel_list_t cnn_kernels(void)
{
    kernel_list_t list = {0};

    for (int i = 0; backends[i] != NULL; i++)
        kernel_list_add(&list, backends[i]->name, backends[i]->kind);
    return list;
}

status_t cnn_engine_choose(const cnn_context_t *context, const char *name,
                           const cnn_backend_t **out)
{
    const kernel_list_t list = cnn_kernels();

    for (int i = 0; backends[i] != NULL; i++) {
        const cnn_backend_t *b = backends[i];

        if (b->kind == context->device->kind &&
            (name == NULL || strcmp(b->name, name) == 0) && b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    if (name != NULL && !kernel_list_has(&list, name, context->device->kind))
        return kernel_list_refuse(&list, name, context->device->kind);
    log_error("%s%s runs no program of this precision on this device; choose fp32 or "
              "another device",
              name == NULL ? "no kernel" : "kernel ", name == NULL ? "" : name);
    return ST_EUSAGE;
}
