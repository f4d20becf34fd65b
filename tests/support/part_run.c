/*
 * part_run.c - what the job of a gang does, without log and messages.
 */
#include "tests/support/part_run.h"

#include "tests/support/thread_gang.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    csr_arcs_t arcs; /* first: calls come with it */
    const int32_t *to;
} stored_arcs_t;

static status_t read_stored(csr_arcs_t *arcs, int64_t begin, int64_t end, int32_t *to)
{
    memcpy(to, ((stored_arcs_t *)arcs)->to + begin, (size_t)(end - begin) * sizeof(*to));
    return ST_OK;
}

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

void part_run_take_rows(const csr_t *g, graph_algorithm_t algorithm, int rank,
                        int n_ranks, part_graph_t *out)
{
    int64_t *in_first = must(malloc((size_t)(g->n_nodes + 1) * sizeof(*in_first)));
    bool takes_in = !g->is_symmetric && graph_info(algorithm)->divided.reads_arcs_in;
    stored_arcs_t stored = {{"a test", g->n_nodes, g->n_arcs, g->first,
                             must(malloc(CSR_ARCS_PIECE * sizeof(int32_t))), read_stored},
                            g->to};
    part_graph_t p = {.rank = rank,
                      .n_ranks = n_ranks,
                      .n_nodes = g->n_nodes,
                      .n_arcs = g->n_arcs,
                      .block = part_graph_block(g->n_nodes),
                      .cut = must(malloc((size_t)(n_ranks + 1) * sizeof(int64_t))),
                      .is_symmetric = g->is_symmetric};

    part_graph_cut(g->first, g->n_nodes, n_ranks, p.cut);
    if (csr_rows_count_in(&stored.arcs, in_first) != ST_OK ||
        csr_rows_take_out(&stored.arcs, p.cut[rank], p.cut[rank + 1], &p.out) != ST_OK ||
        (takes_in && csr_rows_take_in(&stored.arcs, in_first, p.cut[rank],
                                      p.cut[rank + 1], &p.in) != ST_OK))
        abort();
    free(stored.arcs.piece);
    free(in_first);
    *out = p;
}

/* Steps first .. of some ranks, until the end or `stop`. */
typedef struct {
    const part_run_t *run;
    graph_result_t *result; /* its columns are read and written */
    int64_t first, stop;
    int64_t n_steps; /* done */
    bool is_over;
    pthread_mutex_t create; /* as in processes: contexts are created one by one */
} stretch_t;

static int64_t column_bytes(const part_run_t *run, int c)
{
    return graph_type_bytes(graph_info(run->spec->algorithm)->columns[c].type);
}

static status_t run_steps(stretch_t *s, const part_context_t *context, gang_t *gang)
{
    const part_backend_t *b = s->run->backend;
    part_step_report_t report = {0};
    int64_t k = s->first;
    void *state;
    status_t st;

    pthread_mutex_lock(&s->create);
    st = b->create(context, &state);
    pthread_mutex_unlock(&s->create);
    if (st != ST_OK || (st = b->begin(state, gang, k)) != ST_OK)
        return st;
    while (st == ST_OK && !report.is_over && k != s->stop) {
        report = (part_step_report_t){0};
        st = b->step(state, gang, k++, &report);
    }
    if (st == ST_OK)
        st = b->fetch(state);
    b->destroy(state);
    if (gang->rank == 0) {
        s->n_steps = k;
        s->is_over = report.is_over;
    }
    return st;
}

static status_t run_rank(void *ctx, gang_t *gang)
{
    stretch_t *s = ctx;
    const part_run_t *run = s->run;
    part_context_t context = {.device = run->device,
                              .spec = run->spec,
                              .source = run->source};
    part_graph_t p;
    int64_t n_own, first;
    status_t st;

    part_run_take_rows(run->graph, run->spec->algorithm, gang->rank, gang->n_ranks, &p);
    first = p.cut[gang->rank];
    n_own = part_graph_n_own(&p);
    context.graph = &p;
    if (pool_create(run->n_threads, &context.pool) != ST_OK)
        abort();
    for (int c = 0; c < graph_info(run->spec->algorithm)->n_columns; c++) {
        int64_t bytes = column_bytes(run, c);

        context.column[c] = must(malloc((size_t)(n_own * bytes) + 1));
        memcpy(context.column[c], (char *)s->result->column[c] + first * bytes,
               (size_t)(n_own * bytes));
    }
    st = run_steps(s, &context, gang);
    for (int c = 0; c < graph_info(run->spec->algorithm)->n_columns; c++) {
        int64_t bytes = column_bytes(run, c);

        memcpy((char *)s->result->column[c] + first * bytes, context.column[c],
               (size_t)(n_own * bytes));
        free(context.column[c]);
    }
    pool_destroy(context.pool);
    part_graph_free(&p);
    return st;
}

status_t part_run(const part_run_t *run, graph_result_t *out)
{
    stretch_t s = {.run = run, .result = out, .stop = run->stop_after};
    status_t st;

    pthread_mutex_init(&s.create, NULL);
    st = thread_gang_run(run->n_ranks, run_rank, &s);
    if (st == ST_OK && !s.is_over && s.n_steps == run->stop_after) {
        s.first = s.n_steps;
        s.stop = -1;
        st = thread_gang_run(run->n_ranks_later, run_rank, &s);
    }
    pthread_mutex_destroy(&s.create);
    out->n_iterations = s.n_steps;
    return st;
}
