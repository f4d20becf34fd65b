/*
 * graph_blocks.h - the blocks of sources whose results are summed, one after the other: a
 * sum of real numbers is the same wherever its blocks are computed.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

/* Maximum number of blocks.  It follows from the number of sources alone, so that the
 * sums are the same in every run. */
enum { GRAPH_BLOCKS = 64 };

/* @return how many blocks a number of sources has */
static inline int64_t graph_block_count(int64_t n_sources)
{
    return n_sources > GRAPH_BLOCKS ? GRAPH_BLOCKS : n_sources;
}

/* @param sources  [n_sources] @return part k of n */
graph_task_t graph_block_at(const int32_t *sources, int64_t n_sources, int64_t k,
                            int64_t n);

/*
 * Leave sources without arcs out of a block, to which they add nothing; but one is left,
 * because a kernel needs one.
 *
 * @param busy  out: the sources of the block then, the caller's
 * @return ST_OK or ST_ENOMEM
 */
status_t graph_block_reduce(const csr_t *g, graph_task_t *block,
                            int32_t **busy) MUST_CHECK;
