/*
 * cpu_triangles.c - triangles by arcs from the smaller degree to the larger (Schank,
 * Wagner 2005).
 *
 * Only these arcs are kept; each node then has few.  For node u its targets are marked;
 * each marked target of a target v closes a triangle u, v, w.
 */
#include "kernels/graph/cpu/cpu_state.h"

#include <stdatomic.h>

enum { GRAIN = 256, NODE_GRAIN = 4096 };

typedef struct {
    const csr_t *g;
    int32_t *to;        /* [n_arcs] the kept arcs of a node are the first of its row */
    int32_t *n_kept;    /* [n_nodes] */
    int32_t *marked_by; /* [threads][n_nodes] */
    int64_t *count;     /* [threads][n_nodes] triangles that the thread found */
    int64_t *n_triangles;
    int n_threads;
    atomic_llong n_visited;
} triangles_t;

static void keep(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;
    const csr_t *g = t->g;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        int64_t degree = csr_degree(g, u);
        int32_t *to = t->to + g->first[u], n = 0;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            int32_t v = g->to[a];
            int64_t other = csr_degree(g, v);

            if (other > degree || (other == degree && v > u))
                to[n++] = v;
        }
        t->n_kept[u] = n;
    }
    for (int i = 0; i < t->n_threads; i++)
        for (int64_t u = begin; u < end; u++) {
            t->marked_by[i * g->n_nodes + u] = -1;
            t->count[i * g->n_nodes + u] = 0;
        }
}

static void count(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;
    const csr_t *g = t->g;
    int32_t *marked_by = t->marked_by + thread * g->n_nodes;
    int64_t *found = t->count + thread * g->n_nodes, n_visited = 0;

    for (int32_t u = (int32_t)begin; u < end; u++) {
        const int32_t *to = t->to + g->first[u];
        int64_t n_at_u = 0;

        for (int32_t i = 0; i < t->n_kept[u]; i++)
            marked_by[to[i]] = u;
        for (int32_t i = 0; i < t->n_kept[u]; i++) {
            int32_t v = to[i];
            const int32_t *next = t->to + g->first[v];
            int64_t n_at_v = 0;

            for (int32_t j = 0; j < t->n_kept[v]; j++) {
                int64_t is_triangle = marked_by[next[j]] == u;

                found[next[j]] += is_triangle;
                n_at_v += is_triangle;
            }
            found[v] += n_at_v;
            n_at_u += n_at_v;
            n_visited += t->n_kept[v];
        }
        found[u] += n_at_u;
    }
    atomic_fetch_add_explicit(&t->n_visited, n_visited, memory_order_relaxed);
}

static void add_up(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++) {
        int64_t sum = 0;

        for (int i = 0; i < t->n_threads; i++)
            sum += t->count[i * t->g->n_nodes + u];
        t->n_triangles[u] = sum;
    }
}

status_t cpu_triangles(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes;
    triangles_t t = {.g = c->graph,
                     .to = cpu_array(c, 0, c->graph->n_arcs, sizeof(*t.to)),
                     .n_kept = cpu_array(c, 1, n, sizeof(*t.n_kept)),
                     .marked_by = cpu_array(c, 2, c->n_threads * n, sizeof(int32_t)),
                     .count = cpu_array(c, 3, c->n_threads * n, sizeof(int64_t)),
                     .n_triangles = out->column[0],
                     .n_threads = c->n_threads};

    (void)task;
    if (t.to == NULL || t.n_kept == NULL || t.marked_by == NULL || t.count == NULL)
        return ST_ENOMEM;
    cpu_for(c->pool, n, NODE_GRAIN, keep, &t);
    cpu_for(c->pool, n, GRAIN, count, &t);
    cpu_for(c->pool, n, NODE_GRAIN, add_up, &t);
    out->n_iterations = 1;
    out->n_visited = atomic_load(&t.n_visited);
    return ST_OK;
}
