/*
 * part_cpu.c - chooses the functions of an algorithm, and times them.
 */
#include "kernels/graph/part/part_backend.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/graph/part/part_cpu_state.h"

#include <stdlib.h>

static const part_cpu_algorithm_t *const algorithms[GRAPH_N_ALGORITHMS] = {
    [GRAPH_PAGERANK] = &part_cpu_pagerank,
    [GRAPH_BFS] = &part_cpu_bfs,
    [GRAPH_COMPONENTS] = &part_cpu_components,
};

static bool takes(graph_algorithm_t algorithm)
{
    return algorithms[algorithm] != NULL;
}

static const part_cpu_algorithm_t *algorithm(const part_cpu_t *c)
{
    return algorithms[c->context.spec->algorithm];
}

static void destroy(void *state)
{
    part_cpu_t *c = state;

    if (c == NULL)
        return;
    algorithm(c)->destroy(c);
    part_comm_free(&c->comm);
    free(c);
}

static status_t create(const part_context_t *context, void **state)
{
    part_cpu_t *c = calloc(1, sizeof(*c));
    status_t st;

    if (c == NULL)
        return log_nomem("a graph backend");
    c->context = *context;
    if ((st = algorithm(c)->create(c)) != ST_OK) {
        destroy(c);
        return st;
    }
    *state = c;
    return ST_OK;
}

static status_t begin(void *state, gang_t *gang, int64_t k)
{
    part_cpu_t *c = state;

    c->comm.gang = gang;
    return algorithm(c)->begin(c, k);
}

static status_t step(void *state, gang_t *gang, int64_t k, part_step_report_t *out)
{
    part_cpu_t *c = state;
    double start = clock_now_s(), exchange_s = c->comm.seconds;
    int64_t n_bytes = c->comm.n_bytes;
    status_t st;

    c->comm.gang = gang;
    st = algorithm(c)->step(c, k, out);
    out->seconds = clock_now_s() - start;
    out->exchange_s = c->comm.seconds - exchange_s;
    out->n_bytes = c->comm.n_bytes - n_bytes;
    return st;
}

/* The columns are computed in place. */
static status_t fetch(void *state)
{
    (void)state;
    return ST_OK;
}

const part_backend_t part_cpu_backend = {
    .base = {.name = "cpu", .kind = DEVICE_CPU, .rate = 2.5e7},
    .takes = takes,
    .create = create,
    .begin = begin,
    .step = step,
    .fetch = fetch,
    .destroy = destroy,
};
