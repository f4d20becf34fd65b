/*
 * graph_priority.h - the order of nodes in greedy algorithms.
 *
 * Before any neighbor of a lower place is considered, all of a higher place have been.
 * The place of a node is its key; of equal keys the smaller node comes first.
 */
#pragma once

#include "io/base/rng.h"
#include "io/graphfile/csr.h"
#include "kernels/graph/common/graph_spec.h"

/* @return the key of node u in a maximal independent set; the smallest comes first */
static inline uint64_t graph_mis_key(const graph_spec_t *spec, const csr_t *g, int32_t u)
{
    uint64_t state;

    switch (spec->order) {
    case GRAPH_BY_DEGREE: /* 31 bits of degree, 33 of a hash */
        state = spec->seed ^ rng_rotl((uint64_t)g->id[u], 32);
        return (uint64_t)csr_degree(g, u) << 33 | rng_splitmix(&state) >> 31;
    case GRAPH_BY_WEIGHT: /* negative priorities are below positive ones */
        return ~((uint64_t)spec->priority[u] ^ UINT64_C(1) << 63);
    case GRAPH_BY_ID:
        break;
    }
    return 0;
}

/* @return the key of node u in a coloring: descending degree */
static inline uint64_t graph_coloring_key(const csr_t *g, int32_t u)
{
    return ~(uint64_t)csr_degree(g, u);
}

/* @return whether u comes before v */
static inline bool graph_key_before(const uint64_t *key, int32_t u, int32_t v)
{
    return key[u] != key[v] ? key[u] < key[v] : u < v;
}
