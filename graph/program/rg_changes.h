/*
 * rg_changes.h - a graph that a running program changes.
 *
 * New nodes exist at once; they come last, and their ids follow the greatest one.  Edges
 * that are added or deleted, and deleted nodes, are noted until they are committed: rows
 * are merged then, in which all arcs stay sorted.  A deleted node has lost its arcs then,
 * and goes when the graph is rebalanced, which numbers the others anew.  What is noted
 * is sorted before it is used, so that its order does not matter.
 */
#pragma once

#include "graph/program/rg_collection.h"
#include "io/graphfile/csr.h"

typedef struct {
    int32_t from, to;
    double weight;
} rg_arc_t;

typedef struct {
    rg_arc_t *arc; /* [n] */
    int64_t n, capacity;
} rg_arcs_t;

typedef struct {
    csr_t graph;           /* its weights are `value` */
    int64_t node_capacity; /* of its arrays, and of what the program has per node */
    int64_t next_id;
    rg_arcs_t added, deleted;
    uint8_t *is_deleted; /* [node_capacity] nodes */
    int64_t n_deleted;
    bool is_changed, had_weights;
} rg_changes_t;

/* Begin with a copy. @param c  freed by rg_changes_free, also after an error
 * @return ST_OK or ST_ENOMEM (logged) */
status_t rg_changes_create(const csr_t *g, rg_changes_t *c) MUST_CHECK;

/* Takes a zeroed one, too. */
void rg_changes_free(rg_changes_t *c);

/* Make room for a node. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_changes_reserve(rg_changes_t *c) MUST_CHECK;

/* Add a node, for which there is room. @return it */
int64_t rg_changes_new_node(rg_changes_t *c);

/* Note arcs and nodes. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_changes_note(rg_arcs_t *arcs, int64_t from, int64_t to,
                         double weight) MUST_CHECK;
void rg_changes_delete_node(rg_changes_t *c, int64_t node);

/*
 * Merge what was noted.
 *
 * @param origin  out, the caller's: [n_arcs] where an arc was before, or -1: it is new
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t rg_changes_commit(rg_changes_t *c, int64_t **origin) MUST_CHECK;

/*
 * Number the nodes without those that are deleted, whose arcs are gone.
 *
 * @param map  out, the caller's: [n_nodes of before] the new number, or -1
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t rg_changes_renumber(rg_changes_t *c, int32_t **map) MUST_CHECK;

/* Move the graph out, with integer weights, or none, if it can have these. */
csr_t rg_changes_take(rg_changes_t *c);
