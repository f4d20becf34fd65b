/*
 * cpu_spmv.c - sparse matrix times vector: rows in parallel.
 */
#include "kernels/graph/common/graph_step.h"
#include "kernels/graph/cpu/cpu_state.h"
#include "kernels/graph/cpu/tree_row.h"

enum { GRAIN = 1024 };

typedef struct {
    const csr_t *g;
    const double *x;
    double *y;
} spmv_t;

static double row_sum(const spmv_t *s, int64_t first, int64_t end)
{
    tree_sum_t above = {.n = 0}, rest = {.n = 0};
    double p[TREE_ROW_STEP];
    int64_t a = first;

    for (; end - a >= TREE_ROW_STEP; a += TREE_ROW_STEP) {
        for (int i = 0; i < TREE_ROW_STEP; i++)
            p[i] = graph_arc_value(s->g, a + i) * s->x[s->g->to[a + i]];
        tree_sum_add(&above,
                     tree_row_sum_8(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]));
    }
    for (; a < end; a++)
        tree_sum_add(&rest, graph_arc_value(s->g, a) * s->x[s->g->to[a]]);
    return tree_sum_total_with(&above, tree_sum_total(&rest));
}

static void multiply(void *ctx, int64_t begin, int64_t end, int thread)
{
    const spmv_t *s = ctx;

    (void)thread;
    for (int64_t u = begin; u < end; u++)
        s->y[u] = s->g->value == NULL && s->g->weight == NULL
                      ? tree_row_gather(s->x, s->g->to + s->g->first[u],
                                        csr_degree(s->g, (int32_t)u))
                      : row_sum(s, s->g->first[u], s->g->first[u + 1]);
}

status_t cpu_spmv(cpu_t *c, const graph_task_t *task, graph_result_t *out)
{
    spmv_t s = {c->graph, c->spec->x, out->column[0]};

    (void)task;
    cpu_for(c->pool, c->graph->n_nodes, GRAIN, multiply, &s);
    out->n_iterations = 1;
    out->n_visited = c->graph->n_arcs;
    return ST_OK;
}
