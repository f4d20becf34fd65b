/*
 * edit_filter_case.h - the identities and overlaps that the tests of edit_filter.h use,
 * and how they run it.
 */
#pragma once

#include "kernels/align/edits/edit_filter.h"
#include "tests/support/random_set.h"

#include <stdlib.h>
#include <string.h>

enum { N_IDENTITIES = 7, N_OVERLAPS = 3 };

static const fraction_t identities[N_IDENTITIES] = {{1, 3},  {3, 5},    {80, 100},
                                                    {9, 10}, {95, 100}, {99, 100},
                                                    {1, 1}};
static const fraction_t overlaps[N_OVERLAPS] = {{0, 1}, {1, 2}, {1, 1}};

/* Run one batch through a filter of its own. @param keep  [batch->n] out
 * @return whether that succeeded */
static inline bool edit_filter_case_run(const align_context_t *context,
                                        fraction_t identity, const pair_batch_t *batch,
                                        uint8_t *keep)
{
    edit_filter_t *filter = NULL;
    bool good;

    memset(keep, 7, (size_t)batch->n);
    good = edit_filter_create(context, identity, &filter) == ST_OK &&
           edit_filter_run(filter, batch, keep) == ST_OK;
    edit_filter_destroy(filter);
    return good;
}
