/*
 * spanning_forest.h - a maximum spanning forest of the pairs, and an order of the
 * sequences derived from it in which similar ones are neighbours.
 *
 * Kruskal's algorithm (1956) in bounded memory: pairs arrive one at a time, and after
 * each batch only the forest of all pairs so far is kept.  Joining its branches in
 * descending order of identity is single linkage (Gower and Ross 1969); the order is that
 * of the leaves of the dendrogram.  Identities that differ by less than 2^-32 count as
 * equal; ties are broken by the lower row, then the lower column.
 */
#pragma once

#include "graph/cluster/cluster_methods.h"
#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/graphfile/graph_edges.h"
#include "io/pairs/pairs_scan.h"
#include "io/report/report_data.h"

#include <stdint.h>
#include <stdio.h>

typedef struct spanning_forest spanning_forest_t;

/* @param n  sequences @return ST_OK or ST_ENOMEM (logged) */
status_t spanning_forest_create(int64_t n, spanning_forest_t **out) MUST_CHECK;

/* Add a pair that has an identity.  Pairs must be added in order of row, then column. */
void spanning_forest_add(spanning_forest_t *f, int32_t row, int32_t col, int32_t matches,
                         int32_t columns);

/*
 * Order the leaves.  Of two groups that are joined the larger comes first; if equal, the
 * one with the lower sequence.  Groups that are never joined are ordered in the same way.
 *
 * @param order  [n] the sequences in order
 */
void spanning_forest_order(spanning_forest_t *f, int32_t *order);

/* Takes NULL. */
void spanning_forest_destroy(spanning_forest_t *f);

/* newick.c: the dendrogram of a hierarchical clustering, in Newick format.
 *
 * The edges of a minimum spanning forest give single linkage: cutting the tree at a
 * distance leaves its clusters at that distance (Gower and Ross 1969). */

typedef cluster_join_t newick_edge_t; /* distance: from 0 to the root's */

/* @return the name of a leaf, valid until the next call */
typedef const char *newick_name_t(const void *ctx, int32_t node);

/*
 * Write one rooted binary tree, or one per line for each tree of the forest.
 *
 * A node's height is half the distance of its children, so that the path between two
 * leaves is as long as the distance at which they are joined.  Trees of the forest, which
 * no edge joins, meet at the root's distance, unless that is infinite; then they are
 * written in the order of their first leaves.  Edges of equal distance are joined in the
 * order of a, then b; those within a tree are skipped.
 *
 * @param n        leaves; nothing is written if there is none
 * @param edges    [n_edges] sorted by the call
 * @param to       the caller checks it for errors
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t newick_write(FILE *to, int32_t n, newick_edge_t *edges, int64_t n_edges,
                      double root_distance, newick_name_t *name,
                      const void *ctx) MUST_CHECK;

/* bridges.c: sequences that chain OTUs together: single linkage joins the OTUs through
 * them.
 *
 * Such a sequence may be a chimera, an intermediate species or an error of sequencing. */

typedef struct {
    int64_t sequence;
    double betweenness;  /* shortest paths of other sequences through it (Brandes 2001) */
    int64_t n_neighbors; /* sequences that are close to it */
    int64_t n_otus;      /* of it and its neighbors, at least 2 */
} bridge_t;

typedef struct {
    bridge_t *all; /* [n] in order of descending betweenness */
    int64_t n;
    int64_t n_clusters;  /* of single linkage that hold several OTUs */
    int64_t n_sequences; /* in these clusters */
    int64_t n_sources;   /* of them; if fewer, the betweenness is estimated from paths
                          * that begin at this number of random sequences */
    bool is_left_out;    /* more shortest paths than can be counted (logged): n is 0 */
} bridges_t;

/* How many to list, and what to spend. */
typedef struct {
    int64_t max;        /* bridges */
    int64_t max_visits; /* nodes and arcs that all searches together may visit; where all
                         * sources are too many, random ones are drawn, the same in every
                         * run */
    pool_t *pool;       /* NULL: the caller alone */
} bridges_opts_t;

/* OTUs of sequences. */
typedef struct {
    const int32_t *of; /* [n] the OTU of each sequence, of 0 .. n_otus-1, or -1: none */
    int64_t n, n_otus;
} bridges_otus_t;

/*
 * Find the bridges of highest betweenness in the graph of close pairs.
 *
 * @param id   pairs at or above it are close
 * @param out  release with bridges_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t bridges_find(const pairs_file_t *file, const fraction_t *id,
                      const bridges_otus_t *otus, const bridges_opts_t *opts,
                      bridges_t *out) MUST_CHECK;

/* The same of listed pairs. @param close  not directed; changed */
status_t bridges_find_in(graph_edges_t *close, const bridges_otus_t *otus,
                         const bridges_opts_t *opts, bridges_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void bridges_free(bridges_t *b);

/* Counts and an order of the sequences, from one scan of a result
 * file of all against all. */

typedef struct {
    int64_t n;                      /* sequences */
    int64_t n_identities;           /* pairs with an identity in the file */
    int64_t n_close;                /* of these, at or above the cutoff */
    int64_t histogram[REPORT_BARS]; /* of the identities */
    int32_t *order;                 /* [n] leaves of a dendrogram: spanning_forest.h */
} pairs_summary_t;

/*
 * Summarise every pair of a file.
 *
 * @param id   the cutoff of n_close
 * @param out  release with pairs_summary_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void pairs_summary_free(pairs_summary_t *s);
