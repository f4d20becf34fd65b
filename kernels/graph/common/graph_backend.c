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

int64_t graph_find_unfit(const csr_t *g)
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

/* @return false also without memory, which is logged */
static bool is_forest(const csr_t *g)
{
    forest_t f;
    bool is_sound = forest_create(g, &f) == ST_OK;

    if (is_sound) {
        is_sound = f.fault == FOREST_SOUND;
        forest_free(&f);
    }
    return is_sound;
}

bool graph_is_defined(const graph_context_t *context)
{
    const graph_info_t *info = graph_info(context->spec->algorithm);
    const csr_t *g = context->graph;

    return (g->is_symmetric || !info->is_undirected) &&
           (!info->adds_lengths || graph_find_unfit(g) < 0) &&
           (!info->is_forest || is_forest(g));
}

bool graph_backend_takes(const graph_backend_t *backend, const graph_context_t *context)
{
    const graph_template_t t = context->run->loop_template;
    const unsigned obeyed =
        backend->obeys != NULL ? backend->obeys(context->spec->algorithm) : 0;

    return (t == GRAPH_TEMPLATE_AUTO || (obeyed & graph_template_choice(t)) != 0) &&
           backend->takes(context);
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
    graph_result_t r = {0};

    for (int i = 0; i < info->n_columns; i++) {
        size_t bytes = (size_t)graph_type_bytes(info->columns[i].type);

        r.column[i] = calloc((size_t)n_nodes + 1, bytes);
        if (r.column[i] == NULL) {
            graph_result_free(&r);
            return log_nomem("results of a graph");
        }
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
    free(r->arcs);
    buf_free(&r->decisions);
    *r = (graph_result_t){0};
}
