/*
 * graph_case.h - random graphs for the tests of graph/cluster, whose identities have few
 * values, so that ties are frequent, and a naive clustering to compare with.
 */
#pragma once

#include "graph/cluster/cluster_methods.h"
#include "io/base/rng.h"
#include "tests/support/unit_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_NODES_MAX = 128, CASE_EDGES_MAX = CASE_NODES_MAX * CASE_NODES_MAX / 2 };

typedef struct {
    int64_t n, n_edges;
    edge_t edges[CASE_EDGES_MAX];
    const edge_t *between[CASE_NODES_MAX][CASE_NODES_MAX]; /* NULL: no edge */
} graph_case_t;

/* Fill in `between` from the edges. */
static inline void graph_case_index(graph_case_t *g)
{
    memset(g->between, 0, sizeof(g->between));
    for (int64_t e = 0; e < g->n_edges; e++) {
        g->between[g->edges[e].a][g->edges[e].b] = &g->edges[e];
        g->between[g->edges[e].b][g->edges[e].a] = &g->edges[e];
    }
}

/* Make a random graph in which each pair is an edge with a probability in percent.  Edges
 * are in random order and direction, with 10 to 13 columns, so that equal identities may
 * have different terms (5/10, 6/12). */
static inline graph_case_t *graph_case_random(rng_t *rng, int64_t n, uint64_t percent)
{
    graph_case_t *g = calloc(1, sizeof(*g));

    assert_non_null(g);
    assert_true(n <= CASE_NODES_MAX);
    g->n = n;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++)
            if (rng_chance(rng, percent, 100)) {
                int32_t columns = 10 + (int32_t)rng_below(rng, 4);
                bool mirrored = rng_chance(rng, 1, 2);
                int64_t at = (int64_t)rng_below(rng, (uint64_t)g->n_edges + 1);

                g->edges[g->n_edges++] = g->edges[at];
                g->edges[at] =
                    (edge_t){mirrored ? j : i, mirrored ? i : j,
                             columns - (int32_t)rng_below(rng, (uint64_t)columns),
                             columns};
            }
    graph_case_index(g);
    return g;
}

static inline adjacency_t *graph_case_adjacency(const graph_case_t *g)
{
    adjacency_t *out = NULL;

    assert_int_equal(adjacency_create(g->n, g->edges, g->n_edges, &out), ST_OK);
    return out;
}

/* @param want  labels as "0 0 2" */
static inline void assert_labels(const int32_t *label, int64_t n, const char *want)
{
    char text[16 * CASE_NODES_MAX] = "";
    int len = 0;

    for (int64_t i = 0; i < n; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%d", i > 0 ? " " : "",
                        (int)label[i]);
    assert_string_equal(text, want);
}

static inline void assert_same_labels(const int32_t *got, const int32_t *want, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(got[i], want[i]);
}

/* The identity of two clusters; numerator < 0: they cannot merge. */
typedef struct {
    int64_t numerator, denominator;
} linkage_t;

/* @param label  clusters; x and y are the lowest members of two of them */
typedef linkage_t (*linkage_fn_t)(const graph_case_t *g, const int32_t *label, int32_t x,
                                  int32_t y);

/* Merge the two clusters of the best identity, the first of equal ones, until none can
 * merge. */
static inline void graph_case_merge(const graph_case_t *g, linkage_fn_t linkage,
                                    int32_t *label)
{
    for (int64_t i = 0; i < g->n; i++)
        label[i] = (int32_t)i;
    for (;;) {
        linkage_t best = {-1, 1};
        int32_t x = 0, y = 0;

        for (int32_t i = 0; i < g->n; i++)
            for (int32_t j = i + 1; j < g->n; j++) {
                linkage_t now = {-1, 1};

                if (label[i] == i && label[j] == j)
                    now = linkage(g, label, i, j);
                if (now.numerator * best.denominator > best.numerator * now.denominator) {
                    best = now;
                    x = i;
                    y = j;
                }
            }
        if (best.numerator < 0)
            return;
        for (int64_t i = 0; i < g->n; i++)
            label[i] = label[i] == y ? x : label[i];
    }
}
