/*
 * graph_blocks.c - parts of a list of sources, their results, and the sums of these.
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

/* A kernel needs a source, so that one without arcs is left if all are.
 * @param busy  out: [block->n_sources] @return how many they are */
static int64_t list_busy(const csr_t *g, const graph_task_t *block, int32_t *busy)
{
    int64_t n = 0;

    for (int64_t i = 0; i < block->n_sources; i++)
        if (csr_degree(g, block->sources[i]) > 0 || (n == 0 && i == block->n_sources - 1))
            busy[n++] = block->sources[i];
    return n;
}

status_t graph_block_compute(const graph_backend_t *backend, void *kernel, const csr_t *g,
                             const graph_task_t *block, graph_result_t *out)
{
    int32_t *busy = malloc((size_t)block->n_sources * sizeof(*busy) + 1);
    graph_task_t reduced = *block;
    status_t st;

    if (busy == NULL)
        return log_nomem("sources");
    reduced.sources = busy;
    reduced.n_sources = list_busy(g, block, busy);
    st = backend->compute(kernel, &reduced, out);
    out->n_iterations += block->n_sources - reduced.n_sources;
    free(busy);
    return st;
}

void graph_blocks_add(const csr_t *g, const graph_result_t *block, double *total)
{
    const double *values = block->column[0];

    for (int64_t u = 0; u < g->n_nodes; u++)
        total[u] += values[u];
}

void graph_blocks_end(const csr_t *g, double *total)
{
    for (int64_t u = 0; g->is_symmetric && u < g->n_nodes; u++)
        total[u] /= 2;
}
