/*
 * cpu_betweenness.c - Brandes' algorithm, level by level.
 *
 * The numbers of paths, and what nodes give to the level above, are kept in two arrays,
 * for even and for odd levels.  A node pulls from the array of the level that it needs:
 * of its neighbors only those of this level have a value there, because levels are
 * computed in order, arcs lead at most one level down, and the others still are 0.  So a
 * sum over the whole row is the sum that graph_step.h defines.
 *
 * Many sources run beside each other, one per thread; few run one after the other, with
 * all threads on their levels.  Both add up in the order of the sources.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/cpu_state.h"
#include "kernels/graph/cpu/tree_row.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 512, NODE_GRAIN = 4096 };

typedef struct {
    const cpu_t *c;
    pool_t *pool; /* for the levels; NULL: this thread alone */
    cpu_search_memory_t search;
    int32_t *depth;     /* [n_nodes] */
    int32_t *order;     /* [n_nodes] reached nodes by depth, then by number */
    int64_t *level;     /* [levels + 1] where they start in order */
    double *n_paths[2]; /* [n_nodes] of even and odd levels */
    double *given[2];   /* (1 + dependency) / n_paths, likewise */
    double *dependency; /* [n_nodes] of the last source */
    int64_t level_capacity;
    int64_t d; /* the level that is computed now */
    atomic_bool too_many;
} brandes_t;

static void count_paths(void *ctx, int64_t begin, int64_t end, int thread)
{
    brandes_t *b = ctx;
    const csr_t *in = b->c->in;
    const double *above = b->n_paths[(b->d - 1) & 1];
    double *here = b->n_paths[b->d & 1];

    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t v = b->order[b->level[b->d] + k];
        double n = tree_row_gather(above, in->to + in->first[v], csr_degree(in, v));

        here[v] = n;
        if (n > GRAPH_MAX_PATHS)
            atomic_store(&b->too_many, true);
    }
}

static void add_dependencies(void *ctx, int64_t begin, int64_t end, int thread)
{
    brandes_t *b = ctx;
    const csr_t *g = b->c->graph;
    const double *below = b->given[(b->d + 1) & 1], *n_paths = b->n_paths[b->d & 1];
    double *here = b->given[b->d & 1];

    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        int32_t u = b->order[b->level[b->d] + k];
        double sum = tree_row_gather(below, g->to + g->first[u], csr_degree(g, u));

        b->dependency[u] = n_paths[u] * sum;
        here[u] = (1 + b->dependency[u]) / n_paths[u];
    }
}

static void run_level(brandes_t *b, int64_t d, cpu_range_fn_t fn)
{
    b->d = d;
    cpu_for(b->pool, b->level[d + 1] - b->level[d], GRAIN, fn, b);
}

/* Sort the reached nodes by depth. @return ST_OK or ST_ENOMEM (logged) */
static status_t sort_levels(brandes_t *b, int64_t n_levels)
{
    int64_t n = b->c->graph->n_nodes, *at;

    if (b->level_capacity < n_levels + 2) {
        free(b->level);
        b->level_capacity = 2 * n_levels + 2;
        b->level = malloc((size_t)b->level_capacity * sizeof(*b->level));
        if (b->level == NULL) {
            b->level_capacity = 0;
            return log_nomem("betweenness");
        }
    }
    memset(b->level, 0, (size_t)(n_levels + 2) * sizeof(*b->level));
    at = b->level + 1; /* while sorting; then level[d] is the start of d */
    for (int64_t u = 0; u < n; u++)
        if (b->depth[u] >= 0)
            at[b->depth[u] + 1]++;
    for (int64_t d = 0; d < n_levels; d++)
        at[d + 1] += at[d];
    for (int64_t u = 0; u < n; u++)
        if (b->depth[u] >= 0)
            b->order[at[b->depth[u]]++] = (int32_t)u;
    return ST_OK;
}

static void clear(void *ctx, int64_t begin, int64_t end, int thread)
{
    brandes_t *b = ctx;
    size_t bytes = (size_t)(end - begin) * sizeof(double);

    (void)thread;
    for (int i = 0; i < 2; i++) {
        memset(b->n_paths[i] + begin, 0, bytes);
        memset(b->given[i] + begin, 0, bytes);
    }
    memset(b->dependency + begin, 0, bytes);
}

/* Fill b->dependency. @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (too many
 * paths; not logged) */
static status_t run_source(brandes_t *b, int32_t source)
{
    const csr_t *g = b->c->graph;
    cpu_search_stats_t stats = {0};
    status_t st = cpu_search(b->c, b->pool, source, &b->search, b->depth, NULL, &stats);

    if (st == ST_OK)
        st = sort_levels(b, stats.n_levels);
    if (st != ST_OK)
        return st;
    cpu_for(b->pool, g->n_nodes, NODE_GRAIN, clear, b);
    b->n_paths[0][source] = 1;
    for (int64_t d = 1; d < stats.n_levels; d++)
        run_level(b, d, count_paths);
    if (atomic_load(&b->too_many))
        return ST_EINPUT; /* run_batch logs it, once */
    for (int64_t d = stats.n_levels - 1; d > 0; d--)
        run_level(b, d, add_dependencies);
    return ST_OK;
}

static void free_memory(brandes_t *b)
{
    free(b->search.queue);
    free(b->search.next_queue);
    free(b->search.front);
    free(b->search.next_front);
    free(b->search.missing);
    free(b->depth);
    free(b->order);
    free(b->level);
    for (int i = 0; i < 2; i++) {
        free(b->n_paths[i]);
        free(b->given[i]);
    }
    free(b->dependency);
}

static status_t make_memory(brandes_t *b)
{
    size_t n = (size_t)b->c->graph->n_nodes + 1, words = n / 64 + 1;
    cpu_search_memory_t *s = &b->search;

    s->queue = malloc(n * sizeof(*s->queue));
    s->next_queue = malloc(n * sizeof(*s->next_queue));
    s->front = malloc(words * sizeof(*s->front));
    s->next_front = malloc(words * sizeof(*s->next_front));
    s->missing = malloc(words * sizeof(*s->missing));
    b->depth = malloc(n * sizeof(*b->depth));
    b->order = malloc(n * sizeof(*b->order));
    for (int i = 0; i < 2; i++) {
        b->n_paths[i] = malloc(n * sizeof(double));
        b->given[i] = malloc(n * sizeof(double));
    }
    b->dependency = malloc(n * sizeof(double));
    if (s->queue == NULL || s->next_queue == NULL || s->front == NULL ||
        s->next_front == NULL || s->missing == NULL || b->depth == NULL ||
        b->order == NULL || b->n_paths[0] == NULL || b->n_paths[1] == NULL ||
        b->given[0] == NULL || b->given[1] == NULL || b->dependency == NULL)
        return log_nomem("betweenness");
    return ST_OK;
}

/* Sources that run beside each other. */
typedef struct {
    const int32_t *sources;
    int64_t n;
    brandes_t *brandes; /* [n] */
    status_t *st;       /* [n] */
    double *centrality;
} batch_t;

static void run_one_of_batch(void *ctx, int64_t index, int thread)
{
    batch_t *batch = ctx;

    (void)thread;
    batch->st[index] = run_source(&batch->brandes[index], batch->sources[index]);
}

static void add_batch(void *ctx, int64_t begin, int64_t end, int thread)
{
    const batch_t *batch = ctx;

    (void)thread;
    for (int64_t i = 0; i < batch->n; i++)
        for (int64_t u = begin; u < end; u++)
            batch->centrality[u] += batch->brandes[i].dependency[u];
}

static status_t run_batch(cpu_t *c, batch_t *batch)
{
    status_t st = ST_OK;

    pool_run(batch->n > 1 ? c->pool : NULL, batch->n, run_one_of_batch, batch);
    for (int64_t i = 0; i < batch->n && st == ST_OK; i++)
        st = batch->st[i] == ST_EINPUT
                 ? graph_refuse_paths(c->spec, c->graph, batch->sources[i])
                 : batch->st[i];
    if (st == ST_OK)
        cpu_for(c->pool, c->graph->n_nodes, NODE_GRAIN, add_batch, batch);
    return st;
}

status_t cpu_betweenness(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    bool is_beside = task->n_sources >= c->n_threads;
    int64_t n_beside = is_beside ? c->n_threads : 1;
    batch_t batch = {.brandes = calloc((size_t)n_beside, sizeof(*batch.brandes)),
                     .st = calloc((size_t)n_beside, sizeof(*batch.st)),
                     .centrality = out->column[0]};
    status_t st = ST_OK;

    if (batch.brandes == NULL || batch.st == NULL)
        st = log_nomem("betweenness");
    for (int64_t i = 0; st == ST_OK && i < n_beside; i++) {
        batch.brandes[i].c = c;
        batch.brandes[i].pool = is_beside ? NULL : c->pool;
        st = make_memory(&batch.brandes[i]);
    }
    memset(out->column[0], 0, (size_t)c->graph->n_nodes * sizeof(double));
    for (int64_t k = 0; st == ST_OK && k < task->n_sources; k += batch.n) {
        batch.sources = task->sources + k;
        batch.n = task->n_sources - k < n_beside ? task->n_sources - k : n_beside;
        st = graph_cancelled(c->run) ? ST_ESTOPPED : run_batch(c, &batch);
        out->n_iterations += batch.n;
        out->n_visited += 2 * batch.n * c->graph->n_arcs;
    }
    for (int64_t i = 0; batch.brandes != NULL && i < n_beside; i++)
        free_memory(&batch.brandes[i]);
    free(batch.brandes);
    free(batch.st);
    return st;
}
