/*
 * graph_opts.h - the job "graph" and its options, as a front end fills them in.
 *
 * A front end starts from graph_opts_defaults, writes what its user gives, and has
 * graph_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "io/graphfile/csr.h"
#include "io/graphfile/read/graph_read.h"
#include "kernels/graph/common/graph_spec.h"
#include "worker/job.h"
#include "worker/job_opts.h"

/* graph_sources.c chooses the nodes that a graph job starts from, in ascending order of
 * their ids. */

typedef enum {
    GRAPH_SOURCES_ALL,
    GRAPH_SOURCES_NODE,      /* one node, by its name, otherwise by its original id */
    GRAPH_SOURCES_RANDOM,    /* n different nodes with arcs */
    GRAPH_SOURCES_MAX_DEGREE /* the n nodes of the highest out-degrees; ties: smaller ids
                              */
} graph_sources_kind_t;

typedef struct {
    graph_sources_kind_t kind;
    const char *name; /* of a node, as the user gave it */
    int64_t id;       /* likewise; -1: the name is no number */
    int64_t n;
    uint64_t seed;
} graph_sources_t;

/*
 * Choose nodes; none of a graph without nodes.
 *
 * @param names  [n_nodes] or NULL
 * @param path   of the graph, for messages
 * @param out    [n_out] ascending, owned by the caller
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: no such node, several, or too few)
 */
status_t graph_sources_choose(const graph_sources_t *sources, const csr_t *g,
                              char *const *names, const char *path, int32_t **out,
                              int64_t *n_out) MUST_CHECK;

/* The vector that spmv multiplies. */
typedef enum {
    GRAPH_VECTOR_ONES,
    GRAPH_VECTOR_RANDOM /* of 0 .. 1, by the seed and the ids */
} graph_vector_t;

typedef enum { GRAPH_ADAPTIVE_ON, GRAPH_ADAPTIVE_OFF } graph_adaptive_t;

/* Whether ranks divide the graph among them. */
typedef enum {
    GRAPH_PARTITION_AUTO, /* if a rank's device does not hold it */
    GRAPH_PARTITION_ON,
    GRAPH_PARTITION_OFF
} graph_partition_t;

typedef struct {
    job_opts_t common;

    graph_algorithm_t algorithm;

    /* input */
    const char *input;
    graph_read_options_t read;
    const char *weights_text; /* "file", "unit", "uniform:LOW-HIGH[:SEED]" or NULL */
    bool symmetrize, dedupe, drop_loops;
    csr_options_t build; /* settled: what these and the algorithm amount to */

    /* where to start */
    const char *source_text; /* "random", "max-degree", a node's name or id, or NULL */
    int64_t n_sources;
    int64_t seed;            /* of random sources, order and vector */
    graph_sources_t sources; /* settled */

    /* what to compute */
    fraction_t damping;
    const char *tolerance_text; /* a real number above 0, or NULL */
    double tolerance;           /* settled, if the text is given */
    int64_t max_iterations;
    graph_dangling_t dangling;
    graph_order_t order;
    graph_vector_t vector;
    const char *leaf_weights; /* a table of counts of leaves; NULL: none */
    const char *from; /* the result on an earlier graph to begin with; NULL: none */
    graph_restart_t restart;

    /* how a kernel computes it (graph_choices.h) */
    graph_template_t loop_template;
    int64_t lb_threshold;
    graph_consolidate_t consolidate;
    int64_t buffer;
    graph_allocator_t allocator;
    int64_t pool_bytes;     /* settled; 500 MB unless it is given */
    const char *child_text; /* "KC_16", "1-1", "26x256" or NULL */
    graph_variant_t variant;
    graph_adaptive_t adaptive;
    graph_update_t update;
    const char *split_text; /* "none", or "auto" or a degree, maybe after
                             * "virtual:"; or NULL */
    graph_run_t run;        /* settled */

    /* output */
    const char *newick; /* of mst: the dendrogram; NULL: none */
    bool verify;        /* the result, before it is written */
    int stream;         /* file that a graph from the reader passes through, or -1 */

    /* device */
    graph_partition_t partition;
    int64_t device_bytes; /* that a graph may take of the rank's memory; 0: not given,
                           * which the front end settles with the device */
} graph_opts_t;

graph_opts_t graph_opts_defaults(void);

/* By graph_order_t, graph_dangling_t and graph_vector_t, as on the command line. */
extern const char *const graph_order_name[3];
extern const char *const graph_dangling_name[2];
extern const char *const graph_vector_name[2];

/*
 * Parse "file", "unit" or "uniform:LOW-HIGH[:SEED]".
 *
 * @param out  its weights, low, high and seed are set
 * @return whether it is one of these
 */
bool graph_opts_parse_weights(const char *text, csr_options_t *out);

/*
 * Settle the weights of the input.
 *
 * @param name          what reads it, for `why`
 * @param uses_weights  whether it does; then weights that were not given are the file's
 * @param why           out, on ST_EUSAGE
 * @return ST_OK or ST_EUSAGE
 */
status_t graph_opts_settle_weights(graph_opts_t *opts, const char *name,
                                   bool uses_weights,
                                   char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* Take one source. @param text  "max-degree", or a node's name or id; borrowed */
void graph_opts_parse_source(const char *text, graph_sources_t *out);

/*
 * Check the options against each other and the algorithm, and fill in those that were not
 * given.  A named kernel that only one kind of device has sets `device`, too.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t graph_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* @return what settled options compute; `priority` and `x` are not set */
graph_spec_t graph_opts_spec(const graph_opts_t *opts);

/* The job of these options: an algorithm on a graph, source by source or at once, into
 * one HDF5 file. */
extern const job_ops_t job_graph_ops;
