/*
 * csr_update.h - edges are removed from a graph and others added, without building it
 * again: rows are merged, which takes one pass over the arcs.
 */
#pragma once

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/csr_changes.h"
#include "io/graphfile/graph_edges.h"

/* Edges, and where they are from. */
typedef struct {
    const char *path; /* for messages */
    graph_edges_t edges;
} csr_change_t;

/* What is merged. */
typedef struct {
    const csr_t *old;
    csr_t remove;    /* arcs to remove, numbered as old; first is NULL: none */
    csr_t add;       /* arcs to add, numbered as the new graph; likewise */
    int64_t n_nodes; /* of the new graph */
    int32_t *moved;  /* [old->n_nodes] new numbers of old nodes, ascending */
    int32_t *below;  /* [n_nodes + 1] how many old nodes have a smaller new number */
} csr_merge_t;

/* Merge rows: all of a new graph but its ids. @return ST_OK, or an error (logged) */
typedef status_t csr_merge_fn_t(void *ctx, const csr_merge_t *m, csr_t *out);

typedef struct {
    const csr_change_t *remove; /* all arcs between the nodes of each of its edges,
                                 * whatever their weights; NULL: none */
    const csr_change_t *add;    /* afterwards; NULL: none */
    bool is_directed;      /* also edges of a symmetric graph go one way; else those of
                            * directed graphs only, unless a list means both */
    bool dedupe;           /* as in csr_options_t */
    bool allow_absent;     /* edges to remove may be none of the graph's */
    csr_merge_fn_t *merge; /* without dedupe; NULL: the pool merges */
    void *ctx;             /* of merge */
} csr_update_t;

/*
 * Update a graph.
 *
 * @param out  equal to what csr_build makes of the edges that stay, in the order of `g`,
 *             followed by those added, with the nodes of `g` and of `add`
 * @param changes  out, the caller's: the rows that differ; `from` is NULL
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: an edge to remove does not exist, or
 *         only one of graph and list has weights)
 */
status_t csr_update(const csr_t *g, const csr_update_t *update, pool_t *pool, csr_t *out,
                    csr_changes_t *changes) MUST_CHECK;
