/*
 * graph_formats.h - readers of graph files, one per format; each returns ST_OK,
 * ST_ENOMEM, ST_EIO or ST_EINPUT (logged).
 *
 * `out` is zeroed before, and the caller's to free, also after a failure.
 */
#pragma once

#include "io/graphfile/read/graph_read.h"
#include "io/graphfile/read/graph_text.h"

/* dimacs.c: reads shortest-path files of the 9th DIMACS challenge (.gr): comments "c
 * ...", "p sp NODES ARCS", arcs "a SOURCE TARGET WEIGHT"; ids count from 1. */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t dimacs_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

/* edge_list.c: reads edge lists as of SNAP (https://snap.stanford.edu/data/), and tables
 * separated by commas or tabs: one edge per line, source, target and optionally a weight.
 *
 * Lines that start with # or % are comments.  Edges are directed, unless a comment starts
 * with "Undirected".  Only nodes that occur exist.  Where the first edge has no ids,
 * nodes have names, and their ids are the numbers of the names in ascending order
 * (strcmp), from
 * 1.  A header is no edge; nor is a first line with the numbers of nodes and of edges, if
 * the rest of the file agrees. */

/*
 * Read a file.
 *
 * @param options  its format CSV or TSV fixes what separates columns
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t edge_list_read(graph_text_t *t, const graph_read_options_t *options,
                        graph_edges_t *out) MUST_CHECK;

/* graph_pairs.c: the similarity graph of a result file of `align`: sequences that
 * reach an identity are neighbours. */

/*
 * Read a file of one set of sequences.
 *
 * Ids are the sequences' numbers, from 1; the value of an edge is 1 - identity.
 *
 * @param id  only pairs at or above it; denominator 0: all stored pairs with an identity
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_pairs_read(const char *path, const fraction_t *id,
                          graph_edges_t *out) MUST_CHECK;

/* matrix_market.c: reads Matrix Market files
 * (https://math.nist.gov/MatrixMarket/formats.html): square matrices in coordinate form.
 *
 * Entry (i, j) is an arc from i to j, ids count from 1.  Entries of a symmetric matrix
 * are edges in both directions; of a skew-symmetric one, the reverse arc has the negative
 * value. Integers of 0 .. INT32_MAX are weights; if there are others, all are values. */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t matrix_market_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

/* metis.c: reads METIS files (.graph; Karypis, METIS 5.1 manual, section 4.1.1): a
 * line with the numbers of nodes and edges and which weights there are, then one line per
 * node with its neighbours; ids count from 1.
 *
 * Weights of edges are read, those of nodes are skipped.  Every edge has to be listed by
 * both its nodes. */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t metis_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

/* newick_tree.c: reads a tree in Newick's format
 * (https://phylipweb.github.io/phylip/newicktree.html).
 *
 * Arcs lead from parents to children; lengths of branches are their weights. Ids are the
 * places of the nodes as they end in the text, from 1: children before their parent, the
 * root last.  Names may be absent, equal or in quotes; in those without quotes an
 * underscore remains one.  Comments stand in square brackets. */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t newick_tree_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;
