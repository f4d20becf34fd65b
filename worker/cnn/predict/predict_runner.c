/*
 * predict_runner.c - chooses kernels of trained networks.
 */
#include "worker/cnn/predict/predict_runner.h"

#include "kernels/cnn/engine/cnn_engine.h"

#include <string.h>

static const char *choose_kernel(const cnn_context_t *context, const char *kernel)
{
    const bool is_auto = strcmp(kernel, "auto") == 0;
    const char *name = is_auto ? "native" : kernel;

    for (const cnn_backend_t *const *b = cnn_backends(); *b != NULL; b++)
        if ((*b)->kind == context->device->kind && strcmp((*b)->name, name) == 0)
            return is_auto && !(*b)->takes(context) ? NULL : name;
    return NULL;
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

status_t predict_runner_create(const predict_model_t *m, const device_t *device,
                               pool_t *pool, const char *kernel, cnn_runner_t *out)
{
    const cnn_context_t context = {.device = device, .pool = pool, .program = m->program};
    status_t st = cnn_runner_create(&context, choose_kernel(&context, kernel), out);

    return st == ST_OK ? write_values(m, out) : st;
}

double predict_runner_guess(const device_t *device)
{
    static const double cpu = 2e10, gpu = 1e13;

    return device->kind == DEVICE_CPU ? cpu : gpu;
}
