/*
 * primer_cut.h - where the region between two primers is in each sequence of a set.
 */
#pragma once

#include "io/prepare/prepare.h"

/*
 * Find the regions of --primers (primer_search.h), on the CPU.
 *
 * @param o    with text, without misuse
 * @param set  of any alphabet; of proteins no region is found
 * @param pool  NULL: the caller alone
 * @param out  [set->n], the caller's (free); NULL: o has no text
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t primer_cut_find(const primer_trim_t *o, const seqset_t *set, pool_t *pool,
                         primer_cut_t **out) MUST_CHECK;
