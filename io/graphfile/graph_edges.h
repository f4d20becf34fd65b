/*
 * graph_edges.h - a graph as a list of edges, as files have it: what readers and
 * generators make, and what csr_build.h builds a graph from.
 */
#pragma once

#include "io/base/name_table.h"
#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t n; /* edges */
    int64_t capacity;
    int64_t *source, *target; /* [n] original ids, at least 0 */
    int32_t *weight;          /* [n] at least 0, or NULL */
    double *value;            /* [n] finite, no -0; or NULL.  Not both */
    int64_t n_declared;       /* nodes that exist; -1: those that occur in edges */
    int64_t first_id;         /* their ids are first_id, first_id + 1, ... */
    int64_t *id;              /* or these, [n_declared] ascending, if not NULL */
    char **name;              /* [n_declared] names of nodes, or NULL */
    bool are_sequences; /* nodes are those of a result of `align`, 1 - identity apart */
    bool is_directed;   /* else an edge is listed once and means both directions */
} graph_edges_t;

/*
 * Start an empty list.
 *
 * @param capacity  edges expected; more may be added
 * @param has_weight, has_value  not both
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t graph_edges_create(int64_t capacity, bool has_weight, bool has_value,
                            graph_edges_t *out) MUST_CHECK;

/* Allocate space for more edges. @return ST_OK, or ST_ENOMEM (logged) */
status_t graph_edges_grow(graph_edges_t *edges) MUST_CHECK;

/* Add an edge, whose weight or value the caller sets at edges->n - 1.
 * @return ST_OK, or ST_ENOMEM (logged) */
static inline status_t graph_edges_add(graph_edges_t *edges, int64_t source,
                                       int64_t target)
{
    if (edges->n == edges->capacity) {
        status_t st = graph_edges_grow(edges);

        if (st != ST_OK)
            return st;
    }
    edges->source[edges->n] = source;
    edges->target[edges->n++] = target;
    return ST_OK;
}

/* What a reader does with the weights of a file. */
typedef enum {
    GRAPH_WEIGHTS_ANY,     /* takes finite numbers */
    GRAPH_WEIGHTS_LENGTHS, /* takes finite numbers of at least 0 */
    GRAPH_WEIGHTS_UNREAD   /* skips them, whatever they are: the list has none */
} graph_weights_t;

/* A number as it is written: an integer of 0 .. INT32_MAX, or another real number. */
typedef struct {
    bool is_weight;
    double value;
} graph_number_t;

/*
 * Add an edge and its weight or value; the first number that is no weight turns all
 * weights into values.
 *
 * @param number  not used by a list without weights and values
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t graph_edges_add_number(graph_edges_t *edges, int64_t source, int64_t target,
                                graph_number_t number) MUST_CHECK;

/* What csr_build takes for an edge, besides the list, at least: its nodes' numbers, and
 * twice the key of an arc. */
enum { GRAPH_EDGES_BUILD_BYTES = 8 + 2 * 8 };

/*
 * Refuse a graph that needs more memory than there is (memory_limit.h): a few bytes may
 * announce billions of nodes.
 *
 * @param edge_bytes  of each edge, besides the nodes
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t graph_edges_check_memory(int64_t n_nodes, int64_t n_edges,
                                  size_t edge_bytes) MUST_CHECK;

/* @return the bytes of an edge in a list */
size_t graph_edges_bytes(bool has_weight, bool has_value);

/* Turn weights into values. @return ST_OK, or ST_ENOMEM (logged) */
status_t graph_edges_use_values(graph_edges_t *edges) MUST_CHECK;

/*
 * Name the nodes: ids, which were numbers of names, become the places of the names in
 * ascending order (strcmp), from 1.
 *
 * @param names  of all nodes that exist, at least one
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t graph_edges_name(graph_edges_t *edges, const name_table_t *names) MUST_CHECK;

/* Free the arrays and the names, and set all members to 0. */
void graph_edges_free(graph_edges_t *edges);
