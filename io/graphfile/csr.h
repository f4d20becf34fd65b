/*
 * csr.h - a graph in compressed sparse rows.
 *
 * Nodes are numbered 0 .. n_nodes-1 in ascending order of their original ids, so that
 * ties that go by the original id go by the node's number.  An undirected edge is two
 * arcs, one in each direction; a loop is one arc.
 */
#pragma once

#include "io/base/arrays.h"

typedef struct {
    int64_t n_nodes; /* at most INT32_MAX */
    int64_t n_arcs;
    int64_t *first;  /* [n_nodes + 1] node u has the arcs first[u] .. first[u + 1] - 1 */
    int32_t *to;     /* [n_arcs] ascending in each row */
    int32_t *weight; /* [n_arcs] at least 0; NULL if the graph has none or real ones */
    double *value;   /* [n_arcs] real weights; NULL if the graph has none */
    int64_t *id;     /* [n_nodes] original ids, ascending */
    bool is_symmetric; /* every arc has its reverse, of the same weight */
} csr_t;

extern const arrays_t csr_arrays, csr_nodes_arrays; /* the latter: without arcs */

/*
 * Allocate the arrays; first, to, weight and value are zero, id counts from 0.
 *
 * @param has_weight, has_value  not both
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t csr_create(int64_t n_nodes, int64_t n_arcs, bool has_weight, bool has_value,
                    csr_t *out) MUST_CHECK;

static inline int64_t csr_degree(const csr_t *g, int32_t u)
{
    return g->first[u + 1] - g->first[u];
}

/* @return the integer weight of an arc; 1 without weights */
static inline int32_t csr_weight(const csr_t *g, int64_t arc)
{
    return g->weight != NULL ? g->weight[arc] : 1;
}

/* @return the largest out-degree; 0 without nodes */
int64_t csr_max_degree(const csr_t *g);

/* @return the node with an original id, or -1 */
int32_t csr_find(const csr_t *g, int64_t id);

/*
 * Reverse all arcs; the rows of the result are sorted.  Of a symmetric graph this is an
 * equal graph.
 *
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t csr_transpose(const csr_t *g, csr_t *out) MUST_CHECK;

/* Set is_symmetric. @return ST_OK, or ST_ENOMEM (logged) */
status_t csr_check_symmetric(csr_t *g) MUST_CHECK;

/* Free the arrays and set all members to 0. */
void csr_free(csr_t *g);
