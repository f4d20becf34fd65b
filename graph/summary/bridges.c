/*
 * bridges.c - betweenness in the clusters of single linkage that hold several OTUs.
 */
#include "graph/summary/spanning_forest.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"
#include "kernels/graph/common/disjoint_sets.h"
#include "kernels/registry/backends.h"

#include <stdlib.h>

static status_t scan_close(const pairs_file_t *file, const fraction_t *id,
                           graph_edges_t *edges)
{
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t n = 0;
    status_t st = pairs_scan_open(file, id, &scan);

    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; st == ST_OK && k < n; k++)
            if (hits[k].columns > 0)
                st = graph_edges_add(edges, hits[k].row, hits[k].col);
    pairs_scan_close(scan);
    return st;
}

/* Keep the edges of clusters with several OTUs, and count these clusters. */
static status_t keep_chained(const bridges_otus_t *otus, graph_edges_t *edges,
                             int64_t *n_clusters)
{
    enum { NONE = -1, SEVERAL = -2 };
    disjoint_sets_t clusters = {0};
    int32_t *of = malloc((size_t)(otus->n + 1) * sizeof(*of)); /* a root's OTU */
    int64_t n_kept = 0;
    status_t st =
        of != NULL ? disjoint_sets_make(otus->n, &clusters) : log_nomem("bridges");

    for (int64_t k = 0; st == ST_OK && k < edges->n; k++)
        disjoint_sets_join(&clusters, (int32_t)edges->source[k],
                           (int32_t)edges->target[k]);
    for (int64_t i = 0; st == ST_OK && i < otus->n; i++)
        of[i] = NONE;
    for (int64_t i = 0; st == ST_OK && i < otus->n; i++) {
        int32_t *root = &of[disjoint_sets_root(&clusters, (int32_t)i)];

        if (otus->of[i] >= 0 && *root != otus->of[i] && *root != SEVERAL) {
            *n_clusters += *root != NONE;
            *root = *root == NONE ? otus->of[i] : SEVERAL;
        }
    }
    for (int64_t k = 0; st == ST_OK && k < edges->n; k++)
        if (of[disjoint_sets_root(&clusters, (int32_t)edges->source[k])] == SEVERAL) {
            edges->source[n_kept] = edges->source[k];
            edges->target[n_kept++] = edges->target[k];
        }
    edges->n = n_kept;
    disjoint_sets_free(&clusters);
    free(of);
    return st;
}

/* Draw the sources: all nodes, if that is not too much. @return NULL without memory */
static int32_t *draw_sources(const csr_t *g, int64_t max_visits, int64_t *n_out)
{
    int32_t *all = malloc((size_t)(g->n_nodes + 1) * sizeof(*all));
    int64_t n = max_visits / (g->n_nodes + g->n_arcs + 1) + 1;
    rng_t rng = rng_seed(1);

    if (all == NULL)
        return NULL;
    n = n < g->n_nodes ? n : g->n_nodes;
    for (int64_t u = 0; u < g->n_nodes; u++)
        all[u] = (int32_t)u;
    for (int64_t k = 0; n < g->n_nodes && k < n; k++) {
        int64_t drawn = k + (int64_t)rng_below(&rng, (uint64_t)(g->n_nodes - k));
        int32_t swapped = all[k];

        all[k] = all[drawn];
        all[drawn] = swapped;
    }
    qsort(all, (size_t)n, sizeof(*all), compare_int32);
    *n_out = n;
    return all;
}

/* @param r  the betweenness as sums over ordered pairs */
static status_t compute(const csr_t *g, const graph_task_t *task, pool_t *pool,
                        graph_result_t *r)
{
    const device_t cpu = device_cpu();
    const graph_spec_t spec = {.algorithm = GRAPH_BETWEENNESS, .optional = "bridges"};
    const graph_run_t run = {0};
    const graph_context_t context = {&cpu, pool, g, &spec, &run};
    const graph_backend_t *backend = NULL;
    void *state = NULL;
    status_t st = graph_backend_choose(&context, &backend);

    if (st != ST_OK ||
        (st = graph_result_create(graph_info(GRAPH_BETWEENNESS), g->n_nodes, r)) != ST_OK)
        return st;
    if ((st = backend->create(&context, &state)) == ST_OK)
        st = backend->compute(state, task, r);
    backend->destroy(state);
    return st;
}

static int by_betweenness(const void *a, const void *b)
{
    const bridge_t *x = a, *y = b;

    if (x->betweenness != y->betweenness)
        return x->betweenness > y->betweenness ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* @param seen  [n_otus] the last node that was counted for an OTU, or -1
 * @return the number of OTUs of a node and its neighbors */
static int64_t count_otus(const csr_t *g, int32_t u, const int32_t *otu, int32_t *seen)
{
    int64_t n = 0;

    for (int64_t a = g->first[u] - 1; a < g->first[u + 1]; a++) {
        int32_t k = otu[g->id[a < g->first[u] ? u : g->to[a]]];

        if (k >= 0 && seen[k] != u) {
            seen[k] = u;
            n++;
        }
    }
    return n;
}

/* List the nodes that are close to other OTUs. */
static status_t list(const csr_t *g, const bridges_otus_t *otus, const double *sums,
                     int64_t max, bridges_t *b)
{
    int32_t *seen = malloc((size_t)(otus->n_otus + 1) * sizeof(*seen));
    double scale = (double)g->n_nodes / (double)b->n_sources / 2; /* pairs count once */

    b->all = malloc((size_t)(g->n_nodes + 1) * sizeof(*b->all));
    if (seen == NULL || b->all == NULL) {
        free(seen);
        return log_nomem("bridges");
    }
    for (int64_t k = 0; k < otus->n_otus; k++)
        seen[k] = -1;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        int64_t n = count_otus(g, u, otus->of, seen);

        if (n > 1 && sums[u] > 0)
            b->all[b->n++] = (bridge_t){g->id[u], scale * sums[u], csr_degree(g, u), n};
    }
    free(seen);
    qsort(b->all, (size_t)b->n, sizeof(*b->all), by_betweenness);
    b->n = b->n < max ? b->n : max;
    return ST_OK;
}

status_t bridges_find_in(graph_edges_t *close, const bridges_otus_t *otus,
                         const bridges_opts_t *opts, bridges_t *out)
{
    const csr_options_t build = {.dedupe = true};
    graph_result_t r = {0};
    csr_t g = {0};
    int32_t *sources = NULL;
    status_t st;

    *out = (bridges_t){0};
    if ((st = keep_chained(otus, close, &out->n_clusters)) == ST_OK)
        st = csr_build(close, &build, opts->pool, &g);
    out->n_sequences = g.n_nodes;
    if (st == ST_OK && g.n_nodes > 0) {
        if ((sources = draw_sources(&g, opts->max_visits, &out->n_sources)) == NULL)
            st = log_nomem("bridges");
        else
            st = compute(&g, &(graph_task_t){sources, out->n_sources, 0}, opts->pool, &r);
        if (st == ST_EINPUT) { /* too many paths; logged */
            out->is_left_out = true;
            st = ST_OK;
        } else if (st == ST_OK)
            st = list(&g, otus, r.column[0], opts->max, out);
    }
    graph_result_free(&r);
    csr_free(&g);
    free(sources);
    if (st != ST_OK)
        bridges_free(out);
    return st;
}

status_t bridges_find(const pairs_file_t *file, const fraction_t *id,
                      const bridges_otus_t *otus, const bridges_opts_t *opts,
                      bridges_t *out)
{
    graph_edges_t close = {0};
    status_t st = graph_edges_create(0, false, false, &close);

    if (st == ST_OK)
        st = scan_close(file, id, &close);
    if (st == ST_OK)
        st = bridges_find_in(&close, otus, opts, out);
    graph_edges_free(&close);
    return st;
}

void bridges_free(bridges_t *b)
{
    free(b->all);
    *b = (bridges_t){0};
}
