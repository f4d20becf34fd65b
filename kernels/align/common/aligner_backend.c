/*
 * aligner_backend.c - the one place that decides whether a backend may get a pair.
 */
#include "kernels/align/common/aligner_backend.h"

#include <limits.h>

static bool has_bit(unsigned mask, unsigned enumerator)
{
    return enumerator < sizeof(mask) * CHAR_BIT && (mask >> enumerator & 1u) != 0;
}

bool align_support_has(const align_support_t *support, const align_spec_t *spec)
{
    return has_bit(support->alphabets, spec->scoring.alphabet) &&
           has_bit(support->gaps, spec->scoring.gaps) &&
           has_bit(support->ends, spec->ends) &&
           has_bit(support->scorings, align_scoring_kind(&spec->scoring)) &&
           has_bit(support->emits, spec->emit);
}

bool aligner_backend_takes(const aligner_backend_t *backend,
                           const align_context_t *context, int64_t m, int64_t n)
{
    return backend->base.kind == context->device->kind &&
           align_support_has(&backend->supports, context->spec) &&
           backend->fits(context, m, n);
}
