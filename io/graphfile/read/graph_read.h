/*
 * graph_read.h - reads a graph from a file of any known format.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/graphfile/csr_build.h"
#include "io/graphfile/graph_edges.h"

typedef enum {
    GRAPH_FORMAT_AUTO, /* by content and name */
    GRAPH_FORMAT_EDGES,
    GRAPH_FORMAT_CSV, /* edges, separated by commas */
    GRAPH_FORMAT_TSV, /* ... or tabs */
    GRAPH_FORMAT_MATRIX_MARKET,
    GRAPH_FORMAT_DIMACS,
    GRAPH_FORMAT_METIS,
    GRAPH_FORMAT_NEWICK,
    GRAPH_FORMAT_CSR,   /* HDF5, csr_file.h */
    GRAPH_FORMAT_PAIRS, /* HDF5, the result of `align` */
    GRAPH_N_FORMATS
} graph_format_t;

/* [GRAPH_N_FORMATS] as on the command line: "auto", "edges", "csv", "tsv", "mtx", "gr",
 * "metis", "newick", "csr", "pairs" */
extern const char *const graph_format_name[];

typedef struct {
    graph_format_t format;
    bool is_directed; /* edge lists, also in spite of a comment "Undirected" */
    bool has_names;   /* edge lists: nodes that look like ids have names, too */
    bool ids_only;    /* the caller refuses names: no message suggests them */
    fraction_t id;    /* pairs at or above it; denominator 0: all */
    graph_weights_t weights;
} graph_read_options_t;

/* Find out what an HDF5 file is, unless the user has named the format; text remains
 * GRAPH_FORMAT_AUTO.
 * @return ST_OK or ST_EINPUT (logged: no graph, or an identity is given and it has no
 *         pairs) */
status_t graph_read_format(const char *path, const graph_read_options_t *options,
                           graph_format_t *out) MUST_CHECK;

/* @return whether a file is read as HDF5, which a damaged one may crash */
bool graph_read_is_hdf5(const char *path, const graph_read_options_t *options);

/*
 * Read a file as a list of edges.
 *
 * @param path  "-": stdin, text only
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_read(const char *path, const graph_read_options_t *options,
                    graph_edges_t *out) MUST_CHECK;

/* What nodes are called. */
typedef struct {
    char **name;        /* [n_nodes] freed by texts_free; NULL: they have no names */
    bool are_sequences; /* of a result of `align`; their distance is 1 - identity */
} graph_nodes_t;

/*
 * Read a file and build the graph.
 *
 * @param pool   or NULL
 * @param nodes  out, the caller's; may be NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_read_csr(const char *path, const graph_read_options_t *options,
                        const csr_options_t *build, pool_t *pool, csr_t *out,
                        graph_nodes_t *nodes) MUST_CHECK;
