/*
 * cpu_mis.c - the greedy independent set in rounds: a node is out when a neighbor is in,
 * and in when all neighbors that come before it are out.
 */
#include "kernels/graph/common/graph_priority.h"
#include "kernels/graph/cpu/cpu_rounds.h"

#include <stdatomic.h>

enum { GRAIN = 4096 };
enum { UNDECIDED, IN, OUT };

typedef struct {
    const csr_t *g;
    const graph_spec_t *spec;
    uint64_t *key;
    int32_t *nodes;
    _Atomic uint8_t *state; /* [n_nodes] */
    uint8_t *in_set;
} mis_t;

static void start(void *ctx, int64_t begin, int64_t end, int thread)
{
    mis_t *m = ctx;

    (void)thread;
    for (int32_t u = (int32_t)begin; u < end; u++) {
        m->key[u] = graph_mis_key(m->spec, m->g, u);
        m->nodes[u] = u;
        atomic_init(&m->state[u], UNDECIDED);
    }
}

static bool decide(void *ctx, int32_t u, int thread)
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

static void finish(void *ctx, int64_t begin, int64_t end, int thread)
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
    cpu_for(c->pool, n, GRAIN, start, &m);
    out->n_iterations = cpu_rounds(c, m.nodes, waiting, decide, &m);
    if (out->n_iterations < 0)
        return ST_ENOMEM;
    cpu_for(c->pool, n, GRAIN, finish, &m);
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}
