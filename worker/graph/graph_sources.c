/*
 * graph_sources.c - draws or sorts the candidates, and keeps the first n.
 */
#include "worker/graph/graph_opts.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t degree;
    int32_t node;
} candidate_t;

static int by_degree(const void *a, const void *b)
{
    const candidate_t *x = a, *y = b;

    if (x->degree != y->degree)
        return x->degree > y->degree ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* @return how many nodes may be chosen; the first `n` of them are at the front */
static int64_t arrange(const graph_sources_t *s, const csr_t *g, candidate_t *all)
{
    bool is_random = s->kind == GRAPH_SOURCES_RANDOM;
    rng_t rng = rng_seed(s->seed);
    int64_t n = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        if (!is_random || csr_degree(g, u) > 0)
            all[n++] = (candidate_t){csr_degree(g, u), u};
    if (s->kind == GRAPH_SOURCES_MAX_DEGREE)
        qsort(all, (size_t)n, sizeof(*all), by_degree);
    for (int64_t k = 0; is_random && k < s->n && k < n; k++) {
        int64_t drawn = k + (int64_t)rng_below(&rng, (uint64_t)(n - k));
        candidate_t swapped = all[k];

        all[k] = all[drawn];
        all[drawn] = swapped;
    }
    return n;
}

static status_t choose(const graph_sources_t *s, const csr_t *g, const char *path,
                       int32_t *out, int64_t *n_out)
{
    candidate_t *all = malloc((size_t)g->n_nodes * sizeof(*all));
    int64_t n;

    if (all == NULL)
        return log_nomem("sources");
    n = arrange(s, g, all);
    *n_out = s->kind == GRAPH_SOURCES_ALL ? n : s->n;
    for (int64_t k = 0; k < *n_out && k < n; k++)
        out[k] = all[k].node;
    free(all);
    if (*n_out <= n) {
        qsort(out, (size_t)*n_out, sizeof(*out), compare_int32);
        return ST_OK;
    }
    log_error("%s: there are %" PRId64 " nodes%s for %" PRId64
              " sources; give a smaller --sources",
              path, n, s->kind == GRAPH_SOURCES_RANDOM ? " with arcs" : "", *n_out);
    return ST_EINPUT;
}

/* @return the first node from `from` on that has a name, or -1 */
static int32_t find_name(const csr_t *g, char *const *names, const char *name,
                         int32_t from)
{
    for (int64_t u = from; names != NULL && u < g->n_nodes; u++)
        if (strcmp(names[u], name) == 0)
            return (int32_t)u;
    return -1;
}

static status_t find(const graph_sources_t *s, const csr_t *g, char *const *names,
                     const char *path, int32_t *out, int64_t *n_out)
{
    *n_out = 1;
    if ((*out = find_name(g, names, s->name, 0)) >= 0) {
        if (find_name(g, names, s->name, *out + 1) < 0)
            return ST_OK;
        log_error("%s: several nodes have the name %s; give the id of one, such as "
                  "%" PRId64 ", as the source",
                  path, s->name, g->id[*out]);
        return ST_EINPUT;
    }
    if (s->id >= 0 && (*out = csr_find(g, s->id)) >= 0)
        return ST_OK;
    log_error("%s: there is no node %s; give another source", path, s->name);
    return ST_EINPUT;
}

status_t graph_sources_choose(const graph_sources_t *s, const csr_t *g,
                              char *const *names, const char *path, int32_t **out,
                              int64_t *n_out)
{
    int32_t *chosen = malloc((size_t)g->n_nodes * sizeof(*chosen) + 1);
    int64_t n = 0;
    status_t st = ST_OK;

    if (chosen == NULL)
        return log_nomem("sources");
    if (s->kind == GRAPH_SOURCES_NODE)
        st = find(s, g, names, path, chosen, &n);
    else if (g->n_nodes > 0)
        st = choose(s, g, path, chosen, &n);
    if (st != ST_OK) {
        free(chosen);
        return st;
    }
    *out = chosen;
    *n_out = n;
    return ST_OK;
}
