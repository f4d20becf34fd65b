/*
 * made_graph.c - lists of edges for csr_build.
 */
#include "tests/support/made_graph.h"

#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES_MAX = 100000, ID_STEP = 7, FIRST_ID = 10 };

static void must(bool ok)
{
    if (!ok) {
        fprintf(stderr, "made_graph: cannot make a graph\n");
        abort();
    }
}

static void add(graph_edges_t *e, int64_t source, int64_t target)
{
    must(graph_edges_add(e, source, target) == ST_OK);
}

static void add_random(graph_edges_t *e, const made_graph_t *what, rng_t *rng)
{
    int64_t n_edges = what->shape == MADE_SPARSE ? what->n / 2 : 4 * what->n;

    for (int64_t i = 0; i < n_edges; i++)
        add(e, (int64_t)rng_below(rng, (uint64_t)what->n),
            (int64_t)rng_below(rng, (uint64_t)what->n));
}

static void add_rmat(graph_edges_t *e, int64_t n, rng_t *rng)
{
    for (int64_t i = 0; i < 8 * n; i++) {
        int64_t source = 0, target = 0;

        for (int64_t bit = 1; bit < n; bit *= 2) {
            uint64_t r = rng_below(rng, 100);

            source += r >= 76 ? bit : 0;
            target += (r >= 57 && r < 76) || r >= 95 ? bit : 0;
        }
        if (source < n && target < n)
            add(e, source, target);
    }
}

static void add_grid(graph_edges_t *e, int64_t n)
{
    int64_t side = 1;

    while ((side + 1) * (side + 1) <= n)
        side++;
    for (int64_t i = 0; i < side * side; i++) {
        if (i % side + 1 < side)
            add(e, i, i + 1);
        if (i + side < side * side)
            add(e, i + side, i);
    }
}

static void add_cliques(graph_edges_t *e, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = i + 1; j < n && j / 8 == i / 8; j++)
            add(e, j, i);
        if (i % 24 == 7 && i + 1 < n)
            add(e, i, i + 1);
    }
}

static void add_edges(graph_edges_t *e, const made_graph_t *what, rng_t *rng)
{
    switch (what->shape) {
    case MADE_PATH:
    case MADE_CYCLE:
        for (int64_t i = 0; i + 1 < what->n; i++)
            add(e, i, i + 1);
        if (what->shape == MADE_CYCLE)
            add(e, what->n - 1, 0);
        break;
    case MADE_STAR:
        for (int64_t i = 0; i < what->n; i++)
            add(e, what->n / 2, i);
        break;
    case MADE_GRID:
        add_grid(e, what->n);
        break;
    case MADE_COMPLETE:
        for (int64_t i = 0; i < what->n; i++)
            for (int64_t j = 0; j < what->n; j++)
                add(e, i, j);
        break;
    case MADE_SPARSE:
    case MADE_RANDOM:
        add_random(e, what, rng);
        break;
    case MADE_RMAT:
        add_rmat(e, what->n, rng);
        break;
    case MADE_CLIQUES:
        add_cliques(e, what->n);
        break;
    case MADE_TREE:
        for (int64_t i = 1; i < what->n; i++)
            add(e, i - 1 - (int64_t)rng_below(rng, (uint64_t)(i < 20 ? i : 20)), i);
        break;
    case MADE_EMPTY:
    case MADE_ISOLATED:
    case MADE_N_SHAPES:
        break;
    }
}

static int32_t drawn_weight(made_weights_t weights, rng_t *rng)
{
    if (weights == MADE_WEIGHTS)
        return 1 + (int32_t)rng_below(rng, 255);
    if (weights == MADE_SMALL_WEIGHTS)
        return (int32_t)rng_below(rng, 3);
    return INT32_MAX - (int32_t)rng_below(rng, 1000) * (int32_t)rng_below(rng, 2000000);
}

static double drawn_value(made_weights_t weights, rng_t *rng)
{
    static const int exponents[] = {-1074, -1000, -53, -2, -1, 0, 1, 52, 53, 900};
    const uint64_t drawn = rng_below(rng, 1000);

    if (weights == MADE_VALUES)
        return (double)drawn / 1000;
    return ldexp((double)(drawn % 13) / 8, exponents[drawn / 100]);
}

csr_t made_graph(const made_graph_t *what)
{
    graph_edges_t e;
    const csr_options_t options = {.symmetrize = !what->is_directed,
                                   .dedupe = !what->is_directed,
                                   .drop_loops = !what->is_directed};
    rng_t rng = rng_seed(what->seed);
    csr_t g;

    must(graph_edges_create(1,
                            what->weights == MADE_WEIGHTS ||
                                what->weights == MADE_SMALL_WEIGHTS ||
                                what->weights == MADE_LARGE_WEIGHTS,
                            what->weights == MADE_VALUES ||
                                what->weights == MADE_WIDE_VALUES,
                            &e) == ST_OK);
    add_edges(&e, what, &rng);
    e.is_directed = true;
    for (int64_t i = 0; i < e.n; i++) {
        if (e.weight != NULL)
            e.weight[i] = drawn_weight(what->weights, &rng);
        if (e.value != NULL)
            e.value[i] = drawn_value(what->weights, &rng);
    }
    e.first_id = 0;
    e.n_declared = what->shape == MADE_EMPTY ? 0 : what->n;
    must(csr_build(&e, &options, NULL, &g) == ST_OK);
    for (int64_t u = 0; u < g.n_nodes; u++)
        g.id[u] = FIRST_ID + ID_STEP * u;
    graph_edges_free(&e);
    return g;
}

csr_t made_graph_of(const char *edges, bool is_directed)
{
    const csr_options_t options = {.symmetrize = false};
    graph_edges_t e;
    csr_t g;
    bool has_weight = false;

    for (const char *c = edges; *c != '\0'; c++)
        has_weight |= *c == ':';
    must(graph_edges_create(1, has_weight, false, &e) == ST_OK);
    e.is_directed = is_directed;
    while (*edges != '\0') {
        char *end;
        int64_t source = strtol(edges, &end, 10), target = strtol(end + 1, &end, 10);

        must(graph_edges_add(&e, source, target) == ST_OK);
        if (has_weight)
            e.weight[e.n - 1] = *end == ':' ? (int32_t)strtol(end + 1, &end, 10) : 1;
        for (edges = end; *edges == ' '; edges++)
            ;
    }
    must(csr_build(&e, &options, NULL, &g) == ST_OK);
    graph_edges_free(&e);
    return g;
}

status_t made_graph_compute(const graph_backend_t *backend,
                            const graph_context_t *context, const graph_task_t *task,
                            graph_result_t *out)
{
    graph_result_t r;
    void *state = NULL;
    status_t st;

    must(graph_result_create(graph_info_on(context->spec->algorithm, context->graph),
                             context->graph->n_nodes, &r) == ST_OK);
    st = backend->create(context, &state);
    if (st == ST_OK)
        st = backend->compute(state, task, &r);
    backend->destroy(state);
    if (st == ST_OK)
        *out = r;
    else
        graph_result_free(&r);
    return st;
}

graph_spec_t made_graph_spec(graph_algorithm_t algorithm)
{
    static double x[NODES_MAX];
    static int64_t priority[NODES_MAX];

    for (int64_t u = 0; u < NODES_MAX; u++) {
        x[u] = 1 / (double)(u + 1);
        priority[u] = u * u % 17 - 5;
    }
    return (graph_spec_t){.algorithm = algorithm,
                          .damping = 0.85,
                          .tolerance = 1e-6,
                          .max_iterations = 100,
                          .priority = priority,
                          .x = x,
                          .seed = 1};
}
