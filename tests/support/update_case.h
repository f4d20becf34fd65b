/*
 * update_case.h - graphs at random that are updated in two ways, which have to agree.
 */
#pragma once

#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"
#include "io/graphfile/csr_update.h"

#include <string.h>

/* What a case is drawn from. */
typedef struct {
    int64_t n_ids, n_edges, n_changes;
    int numbers;    /* 0: no weights, 1: integers, 2: real ones, 3: of the added ones */
    bool is_spread; /* new nodes come between old ones */
} update_case_t;

static inline bool update_case_draw(rng_t *rng, const update_case_t *c, int64_t n,
                                    bool is_new, graph_edges_t *out)
{
    const int64_t step = c->is_spread && !is_new ? 3 : 1;
    const bool has_value = c->numbers == 2 || (c->numbers == 3 && is_new);
    const bool has_weight = !has_value && c->numbers != 0;

    if (graph_edges_create(1, has_weight, has_value, out) != ST_OK)
        return false;
    for (int64_t i = 0; i < n; i++) {
        /* half of the arcs are of a few nodes */
        const uint64_t n_sources = (uint64_t)(i % 2 == 0 ? c->n_ids : c->n_ids / 50 + 1);

        if (graph_edges_add(out, step * (int64_t)rng_below(rng, n_sources),
                            step * (int64_t)rng_below(rng, (uint64_t)c->n_ids)) != ST_OK)
            return false;
        if (has_weight)
            out->weight[i] = (int32_t)rng_below(rng, 9);
        if (has_value)
            out->value[i] = (double)rng_below(rng, 9) + 0.5;
    }
    out->is_directed = rng_below(rng, 2) == 0;
    return true;
}

static inline bool update_case_same_array(const void *a, const void *b, size_t bytes)
{
    return (a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, bytes) == 0);
}

static inline bool update_case_same(const csr_t *a, const csr_t *b)
{
    const size_t n = (size_t)a->n_nodes, m = (size_t)a->n_arcs;

    return a->n_nodes == b->n_nodes && a->n_arcs == b->n_arcs &&
           a->is_symmetric == b->is_symmetric &&
           memcmp(a->first, b->first, (n + 1) * sizeof(*a->first)) == 0 &&
           memcmp(a->id, b->id, n * sizeof(*a->id)) == 0 &&
           update_case_same_array(a->to, b->to, m * sizeof(*a->to)) &&
           update_case_same_array(a->weight, b->weight, m * sizeof(*a->weight)) &&
           update_case_same_array(a->value, b->value, m * sizeof(*a->value));
}

/* @return whether `merge` and the pool's way give the same graph */
static inline bool update_case_agrees(rng_t *rng, const update_case_t *c, pool_t *pool,
                                      csr_merge_fn_t *merge, void *ctx)
{
    const csr_options_t as_given = {0};
    graph_edges_t old = {0};
    csr_change_t add = {.path = "added"}, gone = {.path = "removed"};
    csr_update_t how = {.allow_absent = true, .is_directed = rng_below(rng, 2) == 0};
    csr_t g = {0}, want = {0}, got = {0};
    csr_changes_t changes = {0};
    const uint64_t what = rng_below(rng, 4); /* 0: both */
    bool good = update_case_draw(rng, c, c->n_edges, false, &old) &&
                update_case_draw(rng, c, c->n_changes, true, &add.edges) &&
                update_case_draw(rng, c, c->n_changes, false, &gone.edges);

    for (int64_t i = 0; good && i < gone.edges.n && i < old.n; i += 2) {
        gone.edges.source[i] = old.source[i]; /* one that is there */
        gone.edges.target[i] = old.target[i];
    }
    how.add = what != 1 ? &add : NULL;
    how.remove = what != 2 ? &gone : NULL;
    good = good && csr_build(&old, &as_given, pool, &g) == ST_OK &&
           csr_update(&g, &how, pool, &want, &changes) == ST_OK;
    csr_changes_free(&changes);
    how.merge = merge;
    how.ctx = ctx;
    good = good && csr_update(&g, &how, pool, &got, &changes) == ST_OK &&
           update_case_same(&got, &want);
    csr_changes_free(&changes);
    csr_free(&g);
    csr_free(&want);
    csr_free(&got);
    graph_edges_free(&old);
    graph_edges_free(&add.edges);
    graph_edges_free(&gone.edges);
    return good;
}
