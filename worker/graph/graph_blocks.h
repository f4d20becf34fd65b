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
 * Compute the result of a block, without those of its sources that have no arcs, to which
 * they add nothing.
 *
 * @param kernel  of the backend
 * @param out     as that of the backend; n_iterations counts all sources
 * @return ST_OK, ST_ENOMEM or what the backend returns
 */
status_t graph_block_compute(const graph_backend_t *backend, void *kernel, const csr_t *g,
                             const graph_task_t *block, graph_result_t *out) MUST_CHECK;

/* Add the result of a block to the sum of those before it. @param total  [nodes] */
void graph_blocks_add(const csr_t *g, const graph_result_t *block, double *total);

/* Make the sum of all blocks the result: in a symmetric graph each pair of nodes was
 * counted from both ends. @param total  [nodes] */
void graph_blocks_end(const csr_t *g, double *total);
