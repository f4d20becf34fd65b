/*
 * align_support.c - compares a backend's declaration with what is to be computed.
 */
#include "kernels/align/common/align_support.h"

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
