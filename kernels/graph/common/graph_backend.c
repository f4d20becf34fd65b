/*
 * graph_backend.c - what all backends share: what they refuse, and results.
 */
#include "kernels/graph/common/graph_backend.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "kernels/graph/common/forest.h"
#include "kernels/graph/common/graph_step.h"

#include <float.h>
#include <stdlib.h>

/* Find an arc whose real weight is negative, or so large that a path of such arcs may
 * have no finite length.  @return the first one, or -1 */
static int64_t find_unfit(const csr_t *g)
{
    /* a shortest path has fewer arcs than nodes, at most 2^31, and each of its sums is
     * rounded by a factor of at most 1 + 2^-53 */
    static const double rounding = 1 + 0x1p-20;
    const double max = DBL_MAX / rounding / (double)(g->n_nodes > 2 ? g->n_nodes - 1 : 1);

    for (int64_t a = 0; g->value != NULL && a < g->n_arcs; a++)
        if (!(g->value[a] >= 0 && g->value[a] <= max))
            return a;
    return -1;
}

static status_t check_forest(const graph_info_t *info, const csr_t *g,
                             char *const *node_names, const char *name)
{
    forest_t f;
    status_t st = forest_create(g, &f);

    if (st != ST_OK)
        return st;
    st = forest_check(g, &f, node_names, name, info->name);
    forest_free(&f);
    return st;
}

status_t graph_check(graph_algorithm_t algorithm, const csr_t *g, char *const *node_names,
                     const char *name)
{
    const graph_info_t *info = graph_info(algorithm);
    int64_t unfit;

    if (info->is_undirected && !g->is_symmetric) {
        if (name != NULL)
            log_error("%s is directed, but %s is for undirected graphs; give "
                      "--symmetrize",
                      name, info->name);
        return ST_EINPUT;
    }
    if (info->adds_lengths && (unfit = find_unfit(g)) >= 0) {
        if (name != NULL)
            log_error("%s: the weight %.17g is too large, because sums of "
                      "such weights may have no finite value; scale the weights, or give "
                      "--weights unit",
                      name, g->value[unfit]);
        return ST_EINPUT;
    }
    return info->is_forest ? check_forest(info, g, node_names, name) : ST_OK;
}

bool graph_backend_takes(const graph_backend_t *backend, const graph_context_t *context)
{
    const graph_template_t t = context->run->loop_template;
    const unsigned obeyed =
        backend->obeys != NULL ? backend->obeys(context->spec->algorithm) : 0;

    return (t == GRAPH_TEMPLATE_AUTO || (obeyed & graph_template_choice(t)) != 0) &&
           (backend->takes == NULL || backend->takes(context));
}

status_t graph_refuse_paths(const graph_spec_t *spec, const csr_t *g, int32_t source)
{
    if (spec->optional != NULL)
        log_warn("%s: left out: more than %g shortest paths lead from node %lld to "
                 "another node",
                 spec->optional, GRAPH_MAX_PATHS, (long long)g->id[source]);
    else
        log_error("betweenness: more than %g shortest paths lead from node %lld to "
                  "another node, too many to count; choose other sources",
                  GRAPH_MAX_PATHS, (long long)g->id[source]);
    return ST_EINPUT;
}

status_t graph_result_create(const graph_info_t *info, int64_t n_nodes,
                             graph_result_t *out)
{
    const bool has_counts = (info->options & GRAPH_OPTIONS_LEAVES) != 0;
    graph_result_t r = {0};
    bool good =
        !has_counts || (r.count = calloc((size_t)n_nodes + 1, sizeof(*r.count))) != NULL;

    for (int i = 0; good && i < info->n_columns; i++) {
        size_t bytes = (size_t)graph_type_bytes(info->columns[i].type);

        good = (r.column[i] = calloc((size_t)n_nodes + 1, bytes)) != NULL;
    }
    if (!good) {
        graph_result_free(&r);
        return log_nomem("results of a graph");
    }
    *out = r;
    return ST_OK;
}

void graph_result_sort_arcs(graph_result_t *r)
{
    qsort(r->arcs, (size_t)r->n_arcs, sizeof(*r->arcs), compare_int64);
}

void graph_result_free(graph_result_t *r)
{
    for (int i = 0; i < GRAPH_MAX_COLUMNS; i++)
        free(r->column[i]);
    free(r->count);
    free(r->arcs);
    buf_free(&r->decisions);
    *r = (graph_result_t){0};
}
