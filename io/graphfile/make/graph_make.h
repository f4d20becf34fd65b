/*
 * graph_make.h - generates graphs: the same edges on every machine and with any number of
 * threads, for the same seed.
 *
 * All arithmetic is in integers.  Generated lists may have loops and repeated edges;
 * those who want simple graphs have csr_build drop them.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/csr_changes.h"
#include "io/graphfile/graph_edges.h"
#include "io/result/run_info.h"

typedef enum {
    GRAPH_MAKE_RMAT,  /* R-MAT (Chakrabarti et al. 2004), as in Graph500 and GAP */
    GRAPH_MAKE_GRID,  /* rows x columns, four neighbours */
    GRAPH_MAKE_ROAD,  /* planar, connected, mean degree 2.4, at most 8 */
    GRAPH_MAKE_CLONE, /* random, with the degrees of another graph */
    GRAPH_MAKE_TREE,  /* arcs from parents to children */
    GRAPH_MAKE_N_KINDS
} graph_make_kind_t;

/* [GRAPH_MAKE_N_KINDS] as on the command line: "rmat", "grid", ... */
extern const char *const graph_make_name[];

enum { GRAPH_MAKE_MAX_SCALE = 30 };

typedef struct {
    graph_make_kind_t kind;
    uint64_t seed;
    int64_t scale;         /* rmat: 2^scale nodes */
    int64_t edge_factor;   /* rmat: edges per node */
    fraction_t a, b, c;    /* rmat: probabilities; denominator 0: 0.57, 0.19, 0.19 */
    int64_t rows, columns; /* grid */
    int64_t n_nodes;       /* road */
    const char *degrees;   /* clone: "co-road", "citeseer", or a file with lines
                            * "DEGREE NODES" */
    int64_t depth;         /* tree: levels; 1 is the root alone */
    int64_t min_children, max_children; /* tree: of a node that has any */
    int64_t sparsity; /* tree: a node has children with probability 2^-sparsity; the
                       * root always has some, and the last level none */
} graph_make_options_t;

/*
 * Generate a graph.
 *
 * @param pool  or NULL
 * @param out   ids count from 0; all nodes are declared
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT (a file of degrees), or ST_EUSAGE (logged:
 *         options that are out of range)
 */
status_t graph_make(const graph_make_options_t *options, pool_t *pool,
                    graph_edges_t *out) MUST_CHECK;

/* Writes a graph in a format, by default that of the file's name.
 *
 * .h5 and .hdf5: csr_file.h.  .mtx: Matrix Market.  .txt, .el, .edges, .edgelist: edge
 * list.  .gr: DIMACS.  .graph and .metis: METIS.  Edge lists have original ids and lack
 * nodes without edges; the other texts have node numbers, from 1. */

/* As on the command line: "auto|hdf5|mtx|edges|gr|metis"; AUTO: by the name's end. */
typedef enum {
    GRAPH_OUTPUT_AUTO,
    GRAPH_OUTPUT_HDF5,
    GRAPH_OUTPUT_MTX,
    GRAPH_OUTPUT_EDGES,
    GRAPH_OUTPUT_GR,
    GRAPH_OUTPUT_METIS
} graph_output_t;

/* Check the name before the work starts. @return ST_OK or ST_EUSAGE (logged: unknown end
 * of the name; HDF5 to stdout) */
status_t graph_write_check(const char *path, graph_output_t format) MUST_CHECK;

/*
 * Write a file, which appears complete or not at all, or text to stdout ("-").
 *
 * @param force  replace an existing file
 * @param changes  for HDF5: from which graph it was made; NULL: from none
 * @param run    for HDF5: how the graph was made; NULL: not said
 * @param pool   threads that compress HDF5, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EUSAGE, or ST_EINPUT (logged: the format cannot
 *         hold such a graph)
 */
status_t graph_write(const char *path, graph_output_t format, bool force, const csr_t *g,
                     const csr_changes_t *changes, const run_info_t *run,
                     pool_t *pool) MUST_CHECK;
