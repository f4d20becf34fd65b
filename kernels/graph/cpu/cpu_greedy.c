/*
 * cpu_greedy.c - greedy algorithms in rounds (Jones, Plassmann 1993; Blelloch, Fineman,
 * Shun 2012): a node is decided when enough of its neighbors that come before it are.
 *
 * Nodes are tried in the order of a list, and their decisions are seen at once, so that a
 * long chain needs few rounds if the list is in order of priority.
 */
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/cpu/cpu_state.h"

#include <stdatomic.h>
#include <string.h>

/* ---- rounds: each range of a list writes its own part of those that wait ---- */

enum { ROUND_GRAIN = 256, GRAIN = 4096 };

/* Decide a node. @return false: it has to wait for others */
typedef bool (*decide_fn_t)(void *ctx, int32_t node, int thread);

typedef struct {
    int32_t *nodes, *waiting;
    int64_t *n_waiting; /* [ranges] */
    decide_fn_t decide;
    void *ctx;
} rounds_t;

static void run_round(void *ctx, int64_t begin, int64_t end, int thread)
{
    const rounds_t *r = ctx;
    int64_t n = 0;

    for (int64_t k = begin; k < end; k++)
        if (!r->decide(r->ctx, r->nodes[k], thread))
            r->waiting[begin + n++] = r->nodes[k];
    r->n_waiting[begin / ROUND_GRAIN] = n;
}

/*
 * Decide all nodes of a list.
 *
 * @param nodes    [n_nodes]; is overwritten
 * @param waiting  [n_nodes] memory
 * @return the number of rounds, or -1 without memory (logged)
 */
static int64_t run_rounds(cpu_t *c, int32_t *nodes, int32_t *waiting, decide_fn_t decide,
                          void *ctx)
{
    int64_t n = c->graph->n_nodes, n_rounds = 0;
    rounds_t r = {nodes, waiting,
                  cpu_array(c, CPU_N_ARRAYS - 1, n / ROUND_GRAIN + 1, sizeof(int64_t)),
                  decide, ctx};

    if (r.n_waiting == NULL)
        return -1;
    while (n > 0) {
        int64_t n_left = 0;

        cpu_for(c->pool, n, ROUND_GRAIN, run_round, &r);
        for (int64_t k = 0; k < n; k += ROUND_GRAIN) {
            memcpy(r.nodes + n_left, r.waiting + k,
                   (size_t)r.n_waiting[k / ROUND_GRAIN] * sizeof(int32_t));
            n_left += r.n_waiting[k / ROUND_GRAIN];
        }
        n = n_left;
        n_rounds++;
    }
    return n_rounds;
}

/* ---- independent set: a node is out when a neighbor is in, and in when all neighbors
 * that come before it are out ---- */

enum { UNDECIDED, IN, OUT };

typedef struct {
    const csr_t *g;
    const graph_spec_t *spec;
    uint64_t *key;
    int32_t *nodes;
    _Atomic uint8_t *state; /* [n_nodes] */
    uint8_t *in_set;
} mis_t;

static void start_mis(void *ctx, int64_t begin, int64_t end, int thread)
{
    mis_t *m = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        m->key[u] = graph_mis_key(m->spec, m->g, u);
        m->nodes[u] = u;
        atomic_init(&m->state[u], UNDECIDED);
    }
}

static bool decide_mis(void *ctx, int32_t u, int thread)
{
    mis_t *m = ctx;
    const csr_t *g = m->g;
    uint8_t state = IN;

    (void)thread;
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t v = g->to[a];
        uint8_t other = atomic_load_explicit(&m->state[v], memory_order_relaxed);

        if (other == IN) {
            state = OUT;
            break;
        }
        if (other == UNDECIDED && graph_key_before(m->key, v, u))
            state = UNDECIDED;
    }
    atomic_store_explicit(&m->state[u], state, memory_order_relaxed);
    return state != UNDECIDED;
}

static void finish_mis(void *ctx, int64_t begin, int64_t end, int thread)
{
    mis_t *m = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        m->in_set[u] = m->state[u] == IN;
}

status_t cpu_mis(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes;
    int32_t *waiting = cpu_array(c, 2, n, sizeof(*waiting));
    mis_t m = {c->graph,
               c->spec,
               cpu_array(c, 0, n, sizeof(*m.key)),
               cpu_array(c, 1, n, sizeof(*m.nodes)),
               cpu_array(c, 3, n, 1),
               out->column[0]};

    (void)task;
    if (m.key == NULL || m.nodes == NULL || waiting == NULL || m.state == NULL)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, start_mis, &m);
    out->n_iterations = run_rounds(c, m.nodes, waiting, decide_mis, &m);
    if (out->n_iterations < 0)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, finish_mis, &m);
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}

/* ---- coloring (Jones, Plassmann 1993): a node takes its color when all neighbors that
 * come before it have theirs ---- */

typedef struct {
    const csr_t *g;
    uint64_t *key;
    _Atomic int32_t *color;
    int32_t *taken_by; /* [threads][n_colors] the node that last found a color taken */
    int64_t n_colors;  /* more than there can be */
} coloring_t;

static void start_coloring(void *ctx, int64_t begin, int64_t end, int thread)
{
    coloring_t *s = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        s->key[u] = graph_coloring_key(s->g, u);
        atomic_init(&s->color[u], -1);
    }
}

static bool decide_coloring(void *ctx, int32_t u, int thread)
{
    coloring_t *s = ctx;
    const csr_t *g = s->g;
    int32_t *taken_by = s->taken_by + thread * s->n_colors, c = 0;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        int32_t v = g->to[a], color;

        if (!graph_key_before(s->key, v, u))
            continue;
        color = atomic_load_explicit(&s->color[v], memory_order_relaxed);
        if (color < 0)
            return false;
        taken_by[color] = u;
    }
    while (taken_by[c] == u)
        c++;
    atomic_store_explicit(&s->color[u], c, memory_order_relaxed);
    return true;
}

status_t cpu_coloring(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    int64_t n = c->graph->n_nodes, n_colors = csr_max_degree(c->graph) + 2;
    int32_t *nodes = cpu_array(c, 1, n, sizeof(*nodes));
    int32_t *waiting = cpu_array(c, 2, n, sizeof(*waiting));
    coloring_t s = {c->graph, cpu_array(c, 0, n, sizeof(*s.key)), out->column[0],
                    cpu_array(c, 4, c->n_threads * n_colors, sizeof(*s.taken_by)),
                    n_colors};

    (void)task;
    if (nodes == NULL || waiting == NULL || s.key == NULL || s.taken_by == NULL)
        return ST_ENOMEM;
    memset(s.taken_by, -1, (size_t)(c->n_threads * n_colors) * sizeof(*s.taken_by));
    cpu_for(c->pool, n, GRAIN, start_coloring, &s);
    if (!cpu_degree_order(c, 3, nodes))
        return ST_ENOMEM;
    out->n_iterations = run_rounds(c, nodes, waiting, decide_coloring, &s);
    if (out->n_iterations < 0)
        return ST_ENOMEM;
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}
