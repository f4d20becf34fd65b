/*
 * aligner_backend.c - the one place that decides whether a backend may get a pair.
 */
#include "kernels/align/common/aligner_backend.h"

bool aligner_backend_takes(const aligner_backend_t *backend,
                           const align_context_t *context, int64_t m, int64_t n)
{
    return backend->base.kind == context->device->kind &&
           align_support_has(&backend->supports, context->spec) &&
           backend->fits(context, m, n);
}
