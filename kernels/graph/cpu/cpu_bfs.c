/*
 * cpu_bfs.c - breadth-first search by cpu_search.h.
 */
#include "kernels/graph/cpu/cpu_search.h"

status_t cpu_bfs(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_words = n / 64 + 1;
    const cpu_search_memory_t memory = {cpu_array(c, 0, n, sizeof(int32_t)),
                                        cpu_array(c, 1, n, sizeof(int32_t)),
                                        cpu_array(c, 2, n_words, sizeof(uint64_t)),
                                        cpu_array(c, 3, n_words, sizeof(uint64_t)),
                                        cpu_array(c, 4, n_words, sizeof(uint64_t))};
    cpu_search_stats_t stats = {.decisions = &out->decisions};
    status_t st;

    if (memory.queue == NULL || memory.next_queue == NULL || memory.front == NULL ||
        memory.next_front == NULL || memory.missing == NULL)
        return ST_ENOMEM;
    st = cpu_search(c, c->pool, task->sources[0], &memory, out->column[0], out->column[1],
                    &stats);
    out->n_iterations = stats.n_levels;
    out->n_visited = stats.n_visited;
    return st;
}
