/*
 * predict_runner.c - chooses kernels of trained networks.
 */
#include "worker/cnn/predict/predict_runner.h"

#include "kernels/registry/backends.h"

#include <string.h>

static const char *choose_kernel(const cnn_context_t *context, const char *kernel)
{
    const device_kind_t kind = context->device->kind;
    const backend_t *native = backend_find(&cnn_table, "native", kind);

    if (strcmp(kernel, "auto") != 0)
        return backend_name_on(&cnn_table, kernel, kind);
    return native != NULL && cnn_table.takes(native, context) ? native->name : NULL;
}

static status_t write_values(const predict_model_t *m, const cnn_runner_t *r)
{
    const cnn_program_t *p = m->program;
    const float *at = m->stored.values;
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < p->n_tensors; i++)
        if (predict_model_has(p, i)) {
            st = r->backend->write(r->state, i, at);
            at += cnn_tensor_n(&p->tensors[i]);
        }
    return st;
}

status_t predict_runner_create(const predict_model_t *m, const job_opts_t *opts,
                               device_t *device, pool_t *pool, cnn_runner_t *out)
{
    const cnn_context_t context = {.device = device, .pool = pool, .program = m->program};
    status_t st =
        cnn_runner_create(&context, choose_kernel(&context, opts->kernel),
                          strcmp(opts->device, "auto") == 0 ? device : NULL, out);

    return st == ST_OK ? write_values(m, out) : st;
}
