/*
 * part_components.c - components on several ranks, in one step.
 *
 * Each rank joins the ends of its arcs in disjoint sets over all nodes.  Then the sets
 * travel: in round i, a rank joins those of the rank 2^i before it, so that it knows
 * those of 2^(i+1) ranks, and after log2 of the ranks' number all of them.  Joining is
 * idempotent, so it does no harm that some are joined twice.  The number of rounds does
 * not depend on the graph.
 */
#include "io/base/logmsg.h"
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/graph/part/part_cpu_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAIN = 4096 };

typedef struct {
    const part_graph_t *p;
    _Atomic int32_t *parent; /* [n_nodes] */
    int32_t *others;         /* [n_nodes] another rank's parents */
    int64_t *counts;         /* [4][n_ranks] of an exchange */
} components_t;

/* Call fn for ranges of all nodes. */
typedef struct {
    components_t *s;
    void (*fn)(components_t *s, int64_t begin, int64_t end);
} all_nodes_t;

static void run_range(void *ctx, int64_t index, int thread)
{
    const all_nodes_t *a = ctx;
    int64_t begin = index * GRAIN, n = a->s->p->n_nodes;

    (void)thread;
    a->fn(a->s, begin, begin + GRAIN < n ? begin + GRAIN : n);
}

static void for_all(part_cpu_t *c,
                    void (*fn)(components_t *s, int64_t begin, int64_t end))
{
    components_t *s = c->own;
    all_nodes_t a = {s, fn};

    pool_run(c->context.pool, (s->p->n_nodes + GRAIN - 1) / GRAIN, run_range, &a);
}

static void start(components_t *s, int64_t begin, int64_t end)
{
    for (int64_t u = begin; u < end; u++)
        atomic_init(&s->parent[u], (int32_t)u);
}

static void compress(components_t *s, int64_t begin, int64_t end)
{
    for (int64_t u = begin; u < end; u++)
        atomic_store_explicit(&s->parent[u], shared_sets_root(s->parent, (int32_t)u),
                              memory_order_relaxed);
}

static void join_others(components_t *s, int64_t begin, int64_t end)
{
    for (int64_t u = begin; u < end; u++)
        if (s->others[u] != u)
            shared_sets_join(s->parent, (int32_t)u, s->others[u]);
}

/* Of an edge in both directions, the arc to the smaller node is enough. */
static void join_block(void *ctx, int64_t begin, int64_t end)
{
    const components_t *s = ctx;
    const csr_rows_t *out = &s->p->out;

    for (int64_t i = begin; i < end; i++) {
        int32_t u = (int32_t)(out->begin + i);

        for (int64_t a = out->first[i]; a < out->first[i + 1]; a++) {
            if (s->p->is_symmetric && out->to[a] >= u)
                break;
            shared_sets_join(s->parent, u, out->to[a]);
        }
    }
}

static status_t create(part_cpu_t *c)
{
    const part_graph_t *p = c->context.graph;
    components_t *s = c->own = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("components");
    s->p = p;
    s->parent = malloc((size_t)p->n_nodes * sizeof(*s->parent) + 1);
    s->counts = calloc(4 * (size_t)p->n_ranks, sizeof(*s->counts));
    if (p->n_ranks > 1)
        s->others = malloc((size_t)p->n_nodes * sizeof(*s->others) + 1);
    return s->parent != NULL && s->counts != NULL &&
                   (p->n_ranks == 1 || s->others != NULL)
               ? ST_OK
               : log_nomem("components");
}

/* The only step begins anew. */
static status_t begin(part_cpu_t *c, int64_t k)
{
    (void)c;
    (void)k;
    return ST_OK;
}

/* Send this rank's sets to the rank `distance` behind, and get those of the one before.
 */
static status_t exchange(components_t *s, part_comm_t *c, int distance)
{
    int n = s->p->n_ranks, me = s->p->rank;
    int64_t *send = s->counts, *at = send + n, *recv = send + 2 * n;
    int64_t bytes = s->p->n_nodes * (int64_t)sizeof(*s->others);

    memset(send, 0, 4 * (size_t)n * sizeof(*send));
    send[(me + distance) % n] = bytes;
    recv[(me + n - distance) % n] = bytes;
    return part_comm_exchange(c, s->parent, send, at, s->others, recv, at);
}

static status_t step(part_cpu_t *c, int64_t k, part_step_report_t *out)
{
    components_t *s = c->own;
    int32_t *component = c->context.column[0];
    const csr_rows_t *rows = &s->p->out;
    int n_rounds = 0;
    status_t st = ST_OK;

    (void)k;
    for_all(c, start);
    part_cpu_for(c, join_block, s);
    for_all(c, compress);
    for (int distance = 1; st == ST_OK && distance < s->p->n_ranks; distance *= 2) {
        if ((st = exchange(s, &c->comm, distance)) == ST_OK) {
            for_all(c, join_others);
            for_all(c, compress);
        }
        n_rounds++;
    }
    for (int64_t u = rows->begin; st == ST_OK && u < rows->end; u++)
        component[u - rows->begin] =
            atomic_load_explicit(&s->parent[u], memory_order_relaxed);
    out->is_over = true;
    out->n_visited = rows->first[rows->end - rows->begin];
    snprintf(out->decision, sizeof(out->decision), "%d rounds of exchange", n_rounds);
    return st;
}

static void destroy(part_cpu_t *c)
{
    components_t *s = c->own;

    if (s == NULL)
        return;
    free(s->parent);
    free(s->others);
    free(s->counts);
    free(s);
}

const part_cpu_algorithm_t part_cpu_components = {create, begin, step, destroy};
