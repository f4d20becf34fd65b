/*
 * earlier_result.c - the result itself, with some of it changed.
 */
#include "tests/support/earlier_result.h"

#include <stdlib.h>
#include <string.h>

/* Every 53rd rank is another one; components of an even root are known. */
enum { NODES_PER_CHANGE = 53 };

static bool compute(const csr_t *g, const graph_spec_t *spec, graph_result_t *out)
{
    const device_t cpu = device_cpu();
    const graph_run_t run = {0};
    const graph_context_t context = {&cpu, NULL, g, spec, &run};
    const graph_task_t task = {0};
    void *state = NULL;
    bool ok =
        graph_result_create(graph_info(spec->algorithm), g->n_nodes, out) == ST_OK &&
        serial_graph_backend.create(&context, &state) == ST_OK &&
        serial_graph_backend.compute(state, &task, out) == ST_OK;

    serial_graph_backend.destroy(state);
    return ok;
}

static void change_ranks(double *rank, int64_t n)
{
    for (int64_t u = 0; u < n; u += NODES_PER_CHANGE)
        rank[u] *= u % 2 ? 1.25 : 0.5;
}

/* Forget components of odd roots. */
static void forget_components(const csr_t *g, earlier_result_t *r)
{
    for (int32_t u = 0; u < g->n_nodes; u++)
        if (r->joined[u] % 2 == 1)
            r->rows[r->n_rows++] = u;
    for (int64_t i = 0; i < r->n_rows; i++)
        r->joined[r->rows[i]] = r->rows[i];
}

bool earlier_result_make(const csr_t *g, const graph_spec_t *spec, earlier_result_t *out)
{
    const size_t n = (size_t)g->n_nodes;
    graph_result_t r = {0};
    bool ok = compute(g, spec, &r);

    *out = (earlier_result_t){0};
    if (ok && spec->algorithm == GRAPH_PAGERANK) {
        ok = (out->rank = malloc(n * sizeof(double) + 1)) != NULL;
        if (ok) {
            memcpy(out->rank, r.column[0], n * sizeof(double));
            change_ranks(out->rank, g->n_nodes);
        }
    } else if (ok) {
        out->joined = malloc(n * sizeof(int32_t) + 1);
        out->rows = malloc(n * sizeof(int32_t) + 1);
        ok = out->joined != NULL && out->rows != NULL;
        if (ok) {
            memcpy(out->joined, r.column[0], n * sizeof(int32_t));
            forget_components(g, out);
        }
    }
    graph_result_free(&r);
    return ok;
}

void earlier_result_use(const earlier_result_t *r, graph_spec_t *spec)
{
    spec->rank = r->rank;
    spec->joined = r->joined;
    spec->rows = r->rows;
    spec->n_rows = r->n_rows;
}

void earlier_result_free(earlier_result_t *r)
{
    free(r->rank);
    free(r->joined);
    free(r->rows);
    *r = (earlier_result_t){0};
}
