/*
 * forest.h - graphs whose arcs lead from parents to children: each node has one parent at
 * most, and no path leads back.
 */
#pragma once

#include "io/base/status.h"
#include "io/graphfile/csr.h"

typedef enum { FOREST_SOUND, FOREST_TWO_PARENTS, FOREST_CYCLE } forest_fault_t;

typedef struct {
    forest_fault_t fault;
    int32_t node;    /* the first one with two parents; the smallest of a cycle */
    int32_t *parent; /* [n_nodes] -1: a root */
    int32_t *order;  /* [n_nodes] parents before their children */
} forest_t;

/*
 * Find the parents of all nodes.
 *
 * @param out  its arrays are defined if there is no fault, and freed by forest_free
 * @return ST_OK, also of a graph that is no forest, or ST_ENOMEM (logged)
 */
status_t forest_create(const csr_t *g, forest_t *out) MUST_CHECK;

void forest_free(forest_t *f);

/* Log why a graph is no forest, unless it has no name (NULL).
 * @param node_names  [n_nodes] or NULL
 * @return ST_EINPUT, or ST_OK: it is one */
status_t forest_check(const csr_t *g, const forest_t *f, char *const *node_names,
                      const char *graph_name, const char *algorithm) MUST_CHECK;
