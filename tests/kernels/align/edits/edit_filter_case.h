/*
 * edit_filter_case.h - the identities and overlaps that the tests of edit_filter.h use,
 * and how they run it.
 */
#pragma once

#include "kernels/align/edits/edit_filter.h"
#include "tests/support/random_set.h"

#include <stdlib.h>
#include <string.h>

enum { N_IDENTITIES = 7, N_OVERLAPS = 3, TEXT_BYTES = RANDOM_SET_TEXT_BYTES };

static const fraction_t identities[N_IDENTITIES] = {{1, 3},  {3, 5},    {80, 100},
                                                    {9, 10}, {95, 100}, {99, 100},
                                                    {1, 1}};
static const fraction_t overlaps[N_OVERLAPS] = {{0, 1}, {1, 2}, {1, 1}};

static inline int64_t len_of(const seqset_t *set, int32_t i)
{
    return seqset_len(set, i);
}

/* Run one batch at a vector level. @param keep  [batch->n] out */
static inline void edit_filter_case_run(pool_t *pool, int level, const seqset_t *set,
                                        const align_spec_t *spec, fraction_t identity,
                                        const pair_batch_t *batch, uint8_t *keep)
{
    device_t device = device_cpu();
    edit_filter_t *filter;

    device.simd = (simd_level_t)level;
    memset(keep, 7, (size_t)batch->n);
    assert_int_equal(edit_filter_create(&(align_context_t){&device, pool, set, spec, {0}},
                                        identity, &filter),
                     ST_OK);
    assert_int_equal(edit_filter_run(filter, batch, keep), ST_OK);
    edit_filter_destroy(filter);
}
