/*
 * rg_graph_run.c - algorithms on graphs, by the backends of the job "graph".
 */
#include "kernels/registry/backends.h"
#include "library/rg_context.h"
#include "library/rg_graph.h"
#include "library/rg_words.h"
#include "worker/graph/graph_blocks.h"
#include "worker/graph/graph_opts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rg_context_t *context;
    const csr_t *graph;
    const graph_info_t *info;
    graph_spec_t spec;
    graph_run_t run;
    device_t device;
    int32_t *all; /* [nodes] sources, if none were given; or NULL */
    double *ones; /* [nodes] or NULL */
    const int32_t *sources;
    int64_t n_sources;
    const graph_backend_t *backend; /* NULL: none so far */
    void *kernel;
    graph_result_t result;
    double *total; /* [nodes] of results that are summed; or NULL */
} run_t;

void rg_graph_options_init(rg_graph_options_t *options, size_t size)
{
    const graph_opts_t job = graph_opts_defaults();
    const graph_spec_t spec = graph_opts_spec(&job);
    const rg_graph_options_t defaults = {.size = size,
                                         .damping = spec.damping,
                                         .tolerance = spec.tolerance,
                                         .max_iterations = spec.max_iterations,
                                         .seed = spec.seed};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

static status_t find_algorithm(const char *name, graph_algorithm_t *out)
{
    const char *names[GRAPH_N_ALGORITHMS];
    int index = 0;
    status_t st;

    for (int i = 0; i < GRAPH_N_ALGORITHMS; i++)
        names[i] = graph_info((graph_algorithm_t)i)->name;
    st = rg_word_find("algorithm", name, names, GRAPH_N_ALGORITHMS, &index);
    *out = (graph_algorithm_t)index;
    return st;
}

static status_t take_words(const rg_graph_options_t *o, graph_spec_t *spec)
{
    int dangling = GRAPH_DANGLING_SPREAD, order = GRAPH_BY_ID;
    status_t st = ST_OK;

    if (o->dangling != NULL)
        st = rg_word_find("dangling", o->dangling, graph_dangling_name, 2, &dangling);
    if (st == ST_OK && o->order != NULL)
        st = rg_word_find("order", o->order, graph_order_name, 3, &order);
    spec->dangling = (graph_dangling_t)dangling;
    spec->order = (graph_order_t)order;
    if (st == ST_OK && order == GRAPH_BY_WEIGHT && o->priority == NULL) {
        log_error("order abundance needs priority");
        return ST_EUSAGE;
    }
    return st;
}

static status_t check_numbers(const rg_graph_options_t *o)
{
    if (!(o->damping >= 0 && o->damping <= 1)) {
        log_error("damping of %g: give a number from 0 to 1", o->damping);
        return ST_EUSAGE;
    }
    if (!(o->tolerance >= 0)) {
        log_error("tolerance of %g: give a number from 0 on", o->tolerance);
        return ST_EUSAGE;
    }
    if (o->max_iterations < 1) {
        log_error("max_iterations of %" PRId64 ": give at least 1", o->max_iterations);
        return ST_EUSAGE;
    }
    return ST_OK;
}

static status_t check_sources(const rg_graph_options_t *o, const graph_info_t *info,
                              int64_t n)
{
    if (!info->has_sources)
        return ST_OK;
    if (o->n_sources < 0 || (o->n_sources > 0 && o->sources == NULL) ||
        (!info->is_summed && o->n_sources != 1)) {
        log_error("%s needs %s", info->name,
                  info->is_summed ? "sources, or none for all nodes" : "one source");
        return ST_EUSAGE;
    }
    for (int64_t i = 0; i < o->n_sources; i++)
        if (o->sources[i] < 0 || o->sources[i] >= n ||
            (i > 0 && o->sources[i] <= o->sources[i - 1])) {
            log_error("source %d: there are the nodes 0 to %" PRId64
                      ", and sources ascend",
                      o->sources[i], n - 1);
            return ST_EUSAGE;
        }
    return ST_OK;
}

/* What was not given: all nodes, and a vector of ones. */
static status_t fill_in(run_t *r, const rg_graph_options_t *o)
{
    const int64_t n = r->graph->n_nodes;

    r->sources = o->sources;
    r->n_sources = o->n_sources;
    r->spec.priority = r->spec.order == GRAPH_BY_WEIGHT ? o->priority : NULL;
    r->spec.x = o->x;
    if (r->info->is_summed && o->n_sources == 0) {
        if ((r->all = malloc((size_t)n * sizeof(*r->all) + 1)) == NULL)
            return log_nomem("sources");
        for (int64_t u = 0; u < n; u++)
            r->all[u] = (int32_t)u;
        r->sources = r->all;
        r->n_sources = n;
    }
    if ((r->info->options & GRAPH_OPTIONS_VECTOR) != 0 && o->x == NULL) {
        if ((r->ones = malloc((size_t)n * sizeof(*r->ones) + 1)) == NULL)
            return log_nomem("a vector");
        for (int64_t u = 0; u < n; u++)
            r->ones[u] = 1;
        r->spec.x = r->ones;
    }
    return ST_OK;
}

static status_t take_options(run_t *r, const rg_graph_t *graph, const char *algorithm,
                             const rg_graph_options_t *given)
{
    graph_opts_t job = graph_opts_defaults();
    rg_graph_options_t o;
    status_t st;

    rg_graph_options_init(&o, sizeof(o));
    if ((st = rg_options_take(given, &o, sizeof(o))) != ST_OK ||
        (st = find_algorithm(algorithm, &job.algorithm)) != ST_OK)
        return st;
    r->graph = &graph->csr;
    r->info = graph_info_on(job.algorithm, r->graph);
    r->spec = graph_opts_spec(&job);
    r->spec.damping = o.damping;
    r->spec.tolerance = o.tolerance;
    r->spec.max_iterations = o.max_iterations;
    r->spec.seed = o.seed;
    r->run = job.run;
    r->run.backend = o.kernel != NULL && strcmp(o.kernel, "auto") != 0 ? o.kernel : NULL;
    r->run.cancel = &r->context->cancel;
    if ((st = take_words(&o, &r->spec)) != ST_OK || (st = check_numbers(&o)) != ST_OK ||
        (st = check_sources(&o, r->info, r->graph->n_nodes)) != ST_OK)
        return st;
    if (r->info->is_undirected && graph->has_loops) {
        log_error("%s is for graphs without loops; remove the diagonal", r->info->name);
        return ST_EINPUT;
    }
    if ((st = graph_check(job.algorithm, r->graph, NULL, "the graph")) != ST_OK)
        return st;
    return fill_in(r, &o);
}

/* A GPU that was not asked for is left alone where it has no kernel for the graph, or too
 * little memory. */
static status_t open_kernel(run_t *r)
{
    const graph_context_t context = {&r->device, r->context->pool, r->graph, &r->spec,
                                     &r->run};
    const backend_request_t request = {.name = r->run.backend,
                                       .device = &r->device,
                                       .fallback =
                                           r->context->may_fall_back ? &r->device : NULL,
                                       .what = "such graphs"};
    const backend_t *row;
    status_t st = backend_open(&graph_table, &request, &context, &row, &r->kernel);

    if (st == ST_OK)
        r->backend = (const graph_backend_t *)row;
    return st;
}

/* Add up the results of all blocks, in their order. */
static status_t sum_blocks(run_t *r)
{
    const int64_t n_blocks = graph_block_count(r->n_sources), n = r->graph->n_nodes;
    status_t st = ST_OK;

    if ((r->total = calloc((size_t)n + 1, sizeof(*r->total))) == NULL)
        return log_nomem("results of a graph");
    for (int64_t k = 0; st == ST_OK && k < n_blocks; k++) {
        const graph_task_t block = graph_block_at(r->sources, r->n_sources, k, n_blocks);

        if ((st = rg_context_progress(r->context, (double)k / (double)n_blocks)) ==
                ST_OK &&
            (st = graph_block_compute(r->backend, r->kernel, r->graph, &block,
                                      &r->result)) == ST_OK)
            graph_blocks_add(r->graph, &r->result, r->total);
    }
    if (st != ST_OK)
        return st;
    graph_blocks_end(r->graph, r->total);
    memcpy(r->result.column[0], r->total, (size_t)n * sizeof(*r->total));
    return ST_OK;
}

static status_t compute(run_t *r)
{
    const graph_task_t task = {r->info->has_sources ? r->sources : NULL,
                               r->info->has_sources ? r->n_sources : 0, 0};
    status_t st = graph_result_create(r->info, r->graph->n_nodes, &r->result);

    if (st != ST_OK || r->graph->n_nodes == 0)
        return st;
    if ((st = rg_context_progress(r->context, 0)) != ST_OK ||
        (st = open_kernel(r)) != ST_OK)
        return st;
    st = r->info->is_summed ? sum_blocks(r)
                            : r->backend->compute(r->kernel, &task, &r->result);
    if (st == ST_OK && align_cancelled(&r->context->cancel))
        return ST_ESTOPPED;
    return st == ST_OK ? rg_context_progress(r->context, 1) : st;
}

/* Give an array of the result away. @param array  then NULL */
static status_t put_column(rg_columns_t *c, const char *name, graph_type_t type,
                           void **array)
{
    const size_t bytes = (size_t)c->length * (size_t)graph_type_bytes(type);
    const status_t st = rg_allocator_move(&c->memory, bytes, "results of a graph", array);

    if (st != ST_OK)
        return st;
    c->name[c->n] = name;
    c->type[c->n] = type;
    c->values[c->n++] = *array;
    *array = NULL;
    return ST_OK;
}

static status_t put_columns(run_t *r, rg_columns_t **out)
{
    graph_result_t *result = &r->result;
    rg_columns_t *c = calloc(1, sizeof(*c));
    void *arcs = result->arcs;
    status_t st = ST_OK;

    if (c == NULL)
        return log_nomem("results of a graph");
    c->memory = r->context->memory;
    c->length = r->info->gives_arcs ? result->n_arcs : r->graph->n_nodes;
    for (int i = 0; st == ST_OK && i < r->info->n_columns; i++)
        st = put_column(c, r->info->columns[i].name, r->info->columns[i].type,
                        &result->column[i]);
    if (st == ST_OK && r->info->gives_arcs) {
        st = put_column(c, "arc", GRAPH_INT64, &arcs);
        result->arcs = arcs;
    }
    if (st == ST_OK)
        *out = c;
    else
        rg_columns_destroy(c);
    return st;
}

rg_status_t rg_graph_run(rg_context_t *context, const rg_graph_t *graph,
                         const char *algorithm, const rg_graph_options_t *options,
                         rg_columns_t **out)
{
    run_t r = {.context = context};
    log_sink_t *before;
    rg_status_t status = rg_context_enter(context, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    r.device = context->binding.device;
    if (graph != NULL && algorithm != NULL && out != NULL &&
        (st = take_options(&r, graph, algorithm, options)) == ST_OK &&
        (st = compute(&r)) == ST_OK)
        st = put_columns(&r, out);
    if (r.backend != NULL)
        r.backend->destroy(r.kernel);
    graph_result_free(&r.result);
    free(r.total);
    free(r.all);
    free(r.ones);
    return rg_context_leave(context, before, st);
}
