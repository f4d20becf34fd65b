/*
 * serial_paths.c - shortest paths: breadth-first search, and Dijkstra's algorithm.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/path_length.h"
#include "kernels/graph/serial/serial_algorithms.h"

#include <stdlib.h>

/* ---- breadth-first search with a queue ---- */

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

/* ---- Dijkstra's algorithm (1959) with a binary heap ----
 *
 * A node is pushed again when its distance falls; entries of old distances are skipped.
 */

typedef struct {
    path_length_t distance;
    int32_t node;
} entry_t;

typedef struct {
    entry_t *entries; /* [1 ..] a parent at i has its children at 2i and 2i + 1 */
    int64_t n;
} heap_t;

static void push(heap_t *heap, path_length_t distance, int32_t node)
{
    int64_t i = ++heap->n;

    for (; i > 1 && heap->entries[i / 2].distance > distance; i /= 2)
        heap->entries[i] = heap->entries[i / 2];
    heap->entries[i] = (entry_t){distance, node};
}

static entry_t pop(heap_t *heap)
{
    entry_t *e = heap->entries;
    entry_t top = e[1], last = e[heap->n--];
    int64_t i = 1;

    for (int64_t child = 2; child <= heap->n; child = 2 * i) {
        if (child < heap->n && e[child + 1].distance < e[child].distance)
            child++;
        if (e[child].distance >= last.distance)
            break;
        e[i] = e[child];
        i = child;
    }
    e[i] = last;
    return top;
}

/* @param distance  [n_nodes] PATH_NONE where no path is known */
static void relax_row(const csr_t *g, int32_t u, path_length_t *distance, heap_t *heap)
{
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        path_length_t d = path_extend(g, distance[u], a);
        int32_t v = g->to[a];

        if (d < distance[v]) {
            distance[v] = d;
            push(heap, d, v);
        }
    }
}

status_t serial_sssp(const serial_t *s, const graph_task_t *task, graph_result_t *out)
{
    const csr_t *g = s->graph;
    path_length_t *distance = out->column[0];
    heap_t heap = {malloc((size_t)(g->n_arcs + 2) * sizeof(*heap.entries)), 0};

    if (heap.entries == NULL)
        return log_nomem("shortest paths");
    for (int64_t u = 0; u < g->n_nodes; u++)
        distance[u] = PATH_NONE;
    distance[task->sources[0]] = 0;
    push(&heap, 0, task->sources[0]);
    while (heap.n > 0) {
        entry_t top = pop(&heap);

        if (top.distance > distance[top.node])
            continue;
        relax_row(g, top.node, distance, &heap);
        out->n_visited += csr_degree(g, top.node);
        out->n_iterations++;
    }
    path_finish(g, distance);
    free(heap.entries);
    return ST_OK;
}
