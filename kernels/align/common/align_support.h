/*
 * align_support.h - which definitions of an alignment a backend supports, as bit masks.
 *
 * A backend lists the enumerators that it was written for, one by one.  When an enum gets
 * a new enumerator, existing backends therefore refuse it until they declare it.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_SUPPORT_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_SUPPORT_H

#include "kernels/align/common/align_spec.h"

#define ALIGN_BIT(enumerator) (1u << (enumerator))

typedef struct {
    unsigned alphabets; /* bits of alphabet_t */
    unsigned gaps;      /* bits of align_gaps_t */
    unsigned ends;      /* bits of align_ends_t */
    unsigned scorings;  /* bits of align_scoring_kind_t */
    unsigned emits;     /* bits of align_emit_t */
} align_support_t;

/* @return whether every property of spec is declared */
bool align_support_has(const align_support_t *support, const align_spec_t *spec);

#endif
