/*
 * serial_bfs.c - breadth-first search with a queue.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

status_t serial_bfs(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    int32_t *depth = out->column[0], *parent = out->column[1];
    int32_t *queue = malloc((size_t)g->n_nodes * sizeof(*queue) + 1);
    int64_t head = 0, tail = 0;

    if (queue == NULL)
        return log_nomem("a breadth-first search");
    for (int64_t u = 0; u < g->n_nodes; u++)
        depth[u] = parent[u] = -1;
    queue[tail++] = task->sources[0];
    depth[task->sources[0]] = 0;
    parent[task->sources[0]] = task->sources[0];
    while (head < tail) {
        int32_t u = queue[head++];

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];

            if (depth[v] < 0) {
                depth[v] = depth[u] + 1;
                parent[v] = u;
                queue[tail++] = v;
            } else if (depth[v] == depth[u] + 1 && u < parent[v]) {
                parent[v] = u;
            }
        }
        out->n_visited += csr_degree(g, u);
    }
    out->n_iterations = depth[queue[tail - 1]] + 1;
    free(queue);
    return ST_OK;
}
