/*
 * made_leaf_counts.c - counts of all samples, leaf by leaf.
 */
#include "tests/support/made_leaf_counts.h"

#include "io/base/rng.h"

#include <stdio.h>
#include <stdlib.h>

static void add(leaf_counts_t *c, int32_t node, int64_t count)
{
    c->node[c->n] = node;
    c->count[c->n++] = count;
}

leaf_counts_t made_leaf_counts(const csr_t *g)
{
    const size_t n = 2 * (size_t)g->n_nodes + 1;
    leaf_counts_t c = {.n_samples = MADE_SAMPLES,
                       .first = calloc(MADE_SAMPLES + 1, sizeof(*c.first)),
                       .node = malloc(n * sizeof(*c.node)),
                       .count = malloc(n * sizeof(*c.count))};
    int64_t rest = INT64_MAX, largest = -1;

    if (c.first == NULL || c.node == NULL || c.count == NULL) {
        fprintf(stderr, "no memory for counts\n");
        abort();
    }
    for (int32_t u = 0; u < g->n_nodes; u++)
        if (csr_degree(g, u) == 0)
            add(&c, u, 1);
    c.first[1] = c.n;
    for (int64_t k = 0; k < c.first[1]; k++) {
        uint64_t state = (uint64_t)k;
        const int64_t count = (int64_t)(rng_splitmix(&state) >> 32);

        if (k % 3 == 2)
            continue;
        largest = k == 0 || count % 7 == 0 ? c.n : largest;
        rest -= count + 1;
        add(&c, c.node[k], count + 1);
    }
    if (largest >= 0)
        c.count[largest] += rest;
    c.first[2] = c.first[3] = c.n;
    return c;
}
