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
    &serial_cnn_backend,
    NULL,
};

const cnn_backend_t *const *cnn_backends(void)
{
    return backends;
}

/* Log which backends the device has. @return ST_EUSAGE or ST_ENOMEM */
static status_t refuse_name(const cnn_context_t *context, const char *name)
{
    buf_t names = {0};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && backends[i] != NULL; i++)
        if (backends[i]->kind == context->device->kind)
            st = buf_printf(&names, " %s", backends[i]->name);
    if (st == ST_OK) {
        log_error("there is no cnn kernel '%s' for this device; choose from:%.*s", name,
                  (int)names.len, (const char *)names.data);
        st = ST_EUSAGE;
    }
    buf_free(&names);
    return st;
}

status_t cnn_engine_choose(const cnn_context_t *context, const char *name,
                           const cnn_backend_t **out)
{
    bool exists = false;

    for (int i = 0; backends[i] != NULL; i++) {
        const cnn_backend_t *b = backends[i];

        if (b->kind != context->device->kind ||
            (name != NULL && strcmp(b->name, name) != 0))
            continue;
        exists = true;
        if (b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    if (name != NULL && !exists)
        return refuse_name(context, name);
    log_error("%s%s runs no program of this precision on this device; choose fp32 or "
              "another device",
              name == NULL ? "no kernel" : "kernel ", name == NULL ? "" : name);
    return ST_EUSAGE;
}
