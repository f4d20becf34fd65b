/*
 * cpu_triangles.c - triangles by arcs from the smaller degree to the larger (Schank,
 * Wagner 2005).
 *
 * Only these arcs are kept; each node then has few.  For node u its targets are marked;
 * each marked target of a target v closes a triangle u, v, w.  Nodes are renumbered by
 * descending degree: most targets have small numbers, whose marks and counts stay in the
 * caches.
 */
#include "kernels/graph/cpu/cpu_state.h"

#include <stdatomic.h>

enum { GRAIN = 256, NODE_GRAIN = 4096, WORD = 64 };

typedef struct {
    const csr_t *g;
    const graph_run_t *run;
    int32_t *node;   /* [n_nodes] by place: the node */
    int32_t *place;  /* [n_nodes] by node */
    int32_t *to;     /* [n_arcs] places; those of a node are the first of its row */
    int32_t *n_kept; /* [n_nodes] by place */
    uint64_t *marks; /* [threads][n_words] bits of places */
    int64_t *count;  /* [threads][n_nodes] by place: triangles that the thread found */
    int64_t *n_triangles;
    int64_t n_words;
    int n_threads;
    atomic_llong n_visited;
} triangles_t;

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;

    (void)thread;
    for (int32_t p = (int32_t)begin; p < end; p++)
        t->place[t->node[p]] = p;
    for (int i = 0; i < t->n_threads; i++)
        for (int64_t p = begin; p < end; p++) {
            t->count[i * t->g->n_nodes + p] = 0;
            t->marks[i * t->n_words + p / WORD] = 0;
        }
}

/* Keep the arcs to smaller places. */
static void keep(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;
    const csr_t *g = t->g;

    (void)thread;
    for (int32_t p = (int32_t)begin; p < end; p++) {
        int32_t u = t->node[p], *to = t->to + g->first[u], n = 0;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
            if (t->place[g->to[a]] < p)
                to[n++] = t->place[g->to[a]];
        t->n_kept[p] = n;
    }
}

/* @return the number of marked targets; each gets a triangle */
static int64_t count_marked(const int32_t *to, int32_t n, const uint64_t *marks,
                            int64_t *found)
{
    int64_t n_marked = 0;

    for (int32_t i = 0; i < n; i++) {
        int64_t is_marked = marks[to[i] / WORD] >> (to[i] % WORD) & 1;

        found[to[i]] += is_marked;
        n_marked += is_marked;
    }
    return n_marked;
}

static void count(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;
    const int64_t *first = t->g->first;
    uint64_t *marks = t->marks + thread * t->n_words;
    int64_t *found = t->count + thread * t->g->n_nodes, n_visited = 0;

    if (graph_cancelled(t->run))
        return;
    for (int64_t p = begin; p < end; p++) {
        const int32_t *to = t->to + first[t->node[p]];

        for (int32_t i = 0; i < t->n_kept[p]; i++)
            marks[to[i] / WORD] |= UINT64_C(1) << (to[i] % WORD);
        for (int32_t i = 0; i < t->n_kept[p]; i++) {
            int32_t v = to[i];
            int64_t n =
                count_marked(t->to + first[t->node[v]], t->n_kept[v], marks, found);

            found[v] += n;
            found[p] += n;
            n_visited += t->n_kept[v];
        }
        for (int32_t i = 0; i < t->n_kept[p]; i++)
            marks[to[i] / WORD] = 0;
    }
    atomic_fetch_add_explicit(&t->n_visited, n_visited, memory_order_relaxed);
}

static void add_up(void *ctx, int64_t begin, int64_t end, int thread)
{
    triangles_t *t = ctx;

    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        int64_t sum = 0;

        for (int i = 0; i < t->n_threads; i++)
            sum += t->count[i * t->g->n_nodes + p];
        t->n_triangles[t->node[p]] = sum;
    }
}

status_t cpu_triangles(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_words = n / WORD + 1;
    triangles_t t = {.g = c->graph,
                     .run = c->run,
                     .node = cpu_array(c, 0, n, sizeof(*t.node)),
                     .place = cpu_array(c, 1, n, sizeof(*t.place)),
                     .to = cpu_array(c, 2, c->graph->n_arcs, sizeof(*t.to)),
                     .n_kept = cpu_array(c, 3, n, sizeof(*t.n_kept)),
                     .marks = cpu_array(c, 4, c->n_threads * n_words, sizeof(*t.marks)),
                     .count = cpu_array(c, 5, c->n_threads * n, sizeof(*t.count)),
                     .n_triangles = out->column[0],
                     .n_words = n_words,
                     .n_threads = c->n_threads};

    (void)task;
    if (t.node == NULL || t.place == NULL || t.to == NULL || t.n_kept == NULL ||
        t.marks == NULL || t.count == NULL || !cpu_degree_order(c, 6, t.node))
        return ST_ENOMEM;
    cpu_for(c->pool, n, NODE_GRAIN, start, &t);
    cpu_for(c->pool, n, NODE_GRAIN, keep, &t);
    cpu_for(c->pool, n, GRAIN, count, &t);
    if (graph_cancelled(c->run))
        return ST_ESTOPPED;
    cpu_for(c->pool, n, NODE_GRAIN, add_up, &t);
    out->n_iterations = 1;
    out->n_visited = atomic_load(&t.n_visited);
    return ST_OK;
}
