/*
 * graph_blocks.c - parts of a list of sources.
 */
#include "worker/graph/graph_blocks.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

graph_task_t graph_block_at(const int32_t *sources, int64_t n_sources, int64_t k,
                            int64_t n)
{
    const int64_t first = n_sources * k / n, end = n_sources * (k + 1) / n;

    return (graph_task_t){sources + first, end - first, 0};
}

status_t graph_block_reduce(const csr_t *g, graph_task_t *block, int32_t **busy)
{
    int64_t n = 0;

    if ((*busy = malloc((size_t)block->n_sources * sizeof(**busy) + 1)) == NULL)
        return log_nomem("sources");
    for (int64_t i = 0; i < block->n_sources; i++)
        if (csr_degree(g, block->sources[i]) > 0 || (n == 0 && i == block->n_sources - 1))
            (*busy)[n++] = block->sources[i];
    block->sources = *busy;
    block->n_sources = n;
    return ST_OK;
}
