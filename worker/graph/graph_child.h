/*
 * graph_child.h - reads the input of the job "graph"; if it is HDF5, in the child of the
 * run (io/base/child_reader.h), because a damaged file may crash HDF5.
 *
 * The arrays of the graph pass through a file in memory, which the child inherits.
 */
#ifndef RIBOGRID_WORKER_GRAPH_GRAPH_CHILD_H
#define RIBOGRID_WORKER_GRAPH_GRAPH_CHILD_H

#include "io/base/pool.h"
#include "worker/graph/graph_opts.h"
#include "worker/job_output.h"

/* What a child_fetch of the job asks for. */
enum { GRAPH_CHILD_FINISHED = JOB_OUTPUT_FINISHED, GRAPH_CHILD_GRAPH, GRAPH_CHILD_SHAPE };

/* The input, as it was read. */
typedef struct {
    csr_t graph;
    char **names;       /* [n_nodes] or NULL */
    int64_t *abundance; /* [n_nodes] of --order abundance, else NULL */
} graph_input_data_t;

/*
 * Before the child is forked: open the file that the graph passes through, if the input
 * is HDF5, and set o->stream to it, which is -1 otherwise.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t graph_child_prepare(graph_opts_t *o) MUST_CHECK;

/* In the child: answer.  @param opts  const graph_opts_t *, settled */
status_t graph_child_answer(const void *opts, int what, buf_t *out) MUST_CHECK;

/* What is known of an input before it is read. */
typedef struct {
    bool is_csr; /* a file of ours; otherwise nothing else is known */
    int64_t n_nodes, n_arcs;
} graph_shape_t;

/*
 * Find out whether the input is a file of ours, and its size, where graph_child_read
 * reads.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t graph_child_read_shape(const graph_opts_t *o, graph_shape_t *out) MUST_CHECK;

/*
 * Read and build the graph, in the child if that is prepared and the job has a reader.
 *
 * @param o    settled
 * @param out  owned by the caller, also on errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t graph_child_read(const graph_opts_t *o, graph_input_data_t *out) MUST_CHECK;

#endif
