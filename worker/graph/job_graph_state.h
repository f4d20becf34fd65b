/*
 * job_graph_state.h - the state of the job "graph", and the functions that its files
 * share.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/graphfile/csr_rows.h"
#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"
#include "worker/exchange.h"
#include "worker/graph/graph_opts.h"
#include "worker/job_output.h"

#include <stdatomic.h>

/* A line of the log of a graph that is divided, before the nodes per block. */
#define JOB_GRAPH_PARTITION_LINE "partition="

/* What the steps of a gang have taken, on a rank or on all of them. */
typedef struct {
    int64_t n_visited; /* arcs */
    int64_t n_bytes;   /* sent to other ranks */
    double seconds;    /* without exchanges; the longest of all ranks */
    double exchange_s; /* likewise */
} job_graph_steps_t;

/* A rank of a gang, which computes its part of the graph. */
typedef struct {
    const part_backend_t *backend;
    void *kernel;                    /* the backend's state */
    void *column[GRAPH_MAX_COLUMNS]; /* [own nodes] */
    bool has_begun;                  /* the kernel has the state */
    bool is_fetched;                 /* the columns are those after the last step */
    bool is_over;                    /* that state is final */
    job_graph_steps_t steps;         /* of this rank's blocks, in all runs */
    buf_t decisions;                 /* text, equal on all ranks */
} job_graph_gang_t;

/* What a result on an earlier graph gives to begin with; zeros: nothing. */
typedef struct {
    double *rank;    /* [n_nodes] as in graph_spec_t, like the rest */
    int64_t n_known; /* nodes of the earlier graph */
    int32_t *joined; /* [n_nodes] */
    int32_t *rows;   /* [n_rows] */
    int64_t n_rows;
} graph_start_t;

typedef struct {
    job_t base;
    const graph_opts_t *opts;
    const graph_info_t *info;
    graph_spec_t spec;
    graph_run_t run;

    /* the graph, on every rank, unless it is divided (job_graph_part.c) */
    csr_t graph;
    bool is_divided;
    part_graph_t part;
    int64_t *priority; /* [n_nodes] of spec, or NULL */
    double *x;         /* [n_nodes] of spec, or NULL */
    int32_t *sources;  /* [n_sources] ascending */
    int64_t n_sources;
    graph_start_t start;  /* of spec */
    leaf_counts_t leaves; /* of spec; no samples: not given */
    uint64_t *digest;     /* [blocks] of the graph, on rank 0, or NULL (graph_digest.h) */

    /* rank 0, the owner of the log */
    graph_nodes_t nodes;
    double read_s;           /* seconds that reading and building took */
    atomic_int checked_over; /* is_over of the block checked first; -1: none yet */

    /* every rank, as a worker */
    const graph_backend_t *backend;
    void *kernel;          /* the backend's state */
    double copy_s;         /* seconds that its creation took */
    job_graph_gang_t gang; /* if the graph is divided */
} job_graph_t;

/* ---- job_graph_input.c ---- */

/*
 * Read and build the graph and choose its sources on rank 0, and send them to the others.
 * Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_graph_read(job_graph_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_graph_compute.c ---- */

status_t job_graph_prepare(job_t *job, const char **kernel_name, double *guess);
void job_graph_release(job_t *job);
void job_graph_free_result(void *result);
status_t job_graph_collect(job_t *job, int place);
status_t job_graph_pack(job_t *job, int place, int k, int thread, buf_t *out);

/* ---- job_graph_record.c ---- */

/* As check_record of job_ops_t, of a graph that is not divided. */
const char *job_graph_check_result(const job_graph_t *j, int64_t task,
                                   const buf_t *record) MUST_CHECK;

/* @param column  [n] values of some nodes, for each column, of any alignment
 * @return NULL, or what is wrong with them, as check_record of job_ops_t does */
const char *job_graph_check_values(const job_graph_t *j, const char *const *column,
                                   int64_t n) MUST_CHECK;

/* Of a search, which has a source, without regard to the arcs: that paths begin at the
 * task's source, and that parents fit depths.
 *
 * @param column  [n] possible values of the nodes from `first` on
 * @return as job_graph_check_values */
const char *job_graph_check_paths(const job_graph_t *j, int64_t task,
                                  const char *const *column, int64_t first,
                                  int64_t n) MUST_CHECK;

/* @return whether len bytes are lines of printable text */
bool job_graph_check_lines(const void *text, size_t len);

/* ---- job_graph_text.c, job_graph_finish.c ---- */

status_t job_graph_describe(job_t *job);
status_t job_graph_write_result(job_t *job, const job_report_t *report);

/* job_graph_record.c: a task's result as one record of the log: what it took, then the
 * columns, the arcs and the decisions. */

/* What computing took, besides what the result itself says. */
typedef struct {
    double copy_s;     /* seconds that the rank took to put the graph on its device */
    double exchange_s; /* seconds of exchanges between ranks, and bytes that they sent; */
    int64_t exchange_bytes; /* not in the record: of job_graph_gang.c */
} job_graph_effort_t;

/* Append a record. @return ST_OK or ST_ENOMEM (logged) */
status_t job_graph_record_pack(const graph_info_t *info, int64_t n_nodes,
                               const graph_task_t *task, const graph_result_t *result,
                               const job_graph_effort_t *effort, buf_t *out) MUST_CHECK;

/*
 * Read a record.
 *
 * @param out  freed by the caller; not set on errors
 * @return ST_OK, ST_ENOMEM (logged), or ST_EINPUT: the record is not one of such a task
 */
status_t job_graph_record_unpack(const graph_info_t *info, int64_t n_nodes,
                                 const graph_task_t *task, const void *data, size_t len,
                                 graph_result_t *out,
                                 job_graph_effort_t *effort) MUST_CHECK;

/* job_graph_tasks.c: how the job "graph" is divided into tasks: a source each; blocks of
 * sources whose results are summed; one task; or, if the graph is divided among the ranks
 * of a gang, blocks of nodes. */

/* @return the number of tasks, of a divided graph that of its blocks; 0 of a graph
 *         without nodes */
int64_t job_graph_n_tasks(const job_graph_t *j);

/* @return the sources of a task, which point into j->sources; all of a divided graph */
graph_task_t job_graph_task(const job_graph_t *j, int64_t task);

/* @return "sources", "blocks" or "tasks" */
const char *job_graph_task_word(const job_graph_t *j);

/*
 * Append a task's decisions, each line with the task in front: "source 12: ...".
 *
 * @param text  lines
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t job_graph_note_decisions(const job_graph_t *j, int64_t task, const buf_t *text,
                                  buf_t *out) MUST_CHECK;

/* Print a task's decisions under -v, line by line. @return ST_OK or ST_ENOMEM (logged) */
status_t job_graph_log_decisions(const job_graph_t *j, int64_t task,
                                 const buf_t *text) MUST_CHECK;

/* @return about the arcs of a block of a divided graph; of all blocks their number */
int64_t job_graph_block_arcs(const job_graph_t *j, int64_t task);

/* As job_ops_t has them.  The cost of a task is counted in arcs of the graph, once per
 * source; how often an algorithm visits each is not known before. */
int64_t job_graph_cost(const job_t *job, int64_t task);

/* job_graph_part.c: a graph that is divided among the ranks: when, and who reads what.
 *
 * Of our own files, every rank reads its own rows.  Other formats are read and built on
 * rank 0, which sends each rank its rows. */

/* @return about how many bytes of a device's memory an algorithm takes on a graph */
int64_t job_graph_part_bytes(const graph_info_t *info, int64_t n_nodes, int64_t n_arcs,
                             bool is_symmetric);

/*
 * Read a file of ours in parts, if the graph is to be divided.  Every rank calls it.
 *
 * Then j->part is set, and j->graph has no arcs, and its ids on rank 0 only.
 *
 * @return ST_OK, also if it is not; or an error (logged where it happened)
 */
status_t job_graph_part_read(job_graph_t *j, exchange_t *x) MUST_CHECK;

/*
 * Divide the graph that rank 0 has, if it is to be divided.  Every rank calls it.
 *
 * Then j->part is set, and j->graph has arcs only on rank 0 for --verify.
 */
status_t job_graph_part_divide(job_graph_t *j, exchange_t *x) MUST_CHECK;

/* job_graph_gang.c: the job "graph" on a rank of a gang, and what its checkpoints hold.
 *
 * A task is a block of nodes (part_graph.h).  Its record has what computing took, which
 * the first block of a rank has for all of the rank's, then the columns of the nodes;
 * block 0's has the decisions, too. */

/* @return what a checkpoint has, about */
double job_graph_gang_checkpoint_bytes(const job_graph_t *j);

/* Choose and create the kernel. */
status_t job_graph_gang_prepare(job_graph_t *j);
void job_graph_gang_release(job_graph_t *j);

/*
 * Read the last checkpoint from the log as one result.
 *
 * @param out, effort  as of job_graph_record_unpack
 * @return ST_OK, ST_ENOMEM, ST_EIO, or ST_EINPUT (logged: the log is damaged)
 */
status_t job_graph_gang_read(const job_graph_t *j, graph_result_t *out,
                             job_graph_effort_t *effort) MUST_CHECK;

/* As check_record of job_ops_t. */
const char *job_graph_gang_check(job_graph_t *j, int64_t task, int64_t version,
                                 const buf_t *record) MUST_CHECK;

/* As job_ops_t has them. */
bool job_graph_is_over(const job_t *job, int64_t k);
status_t job_graph_step(job_t *job, gang_t *gang, int64_t k);
bool job_graph_holds(const job_t *job, int64_t task);
status_t job_graph_save(job_t *job, int64_t task, buf_t *out);
status_t job_graph_restore(job_t *job, int64_t task, int64_t version, const void *data,
                           size_t len);

/* graph_child.c: reads the input of the job "graph"; if it is HDF5, in the child of the
 * run (io/base/child_reader.h), because a damaged file may crash HDF5.
 *
 * The arrays of the graph pass through a file in memory, which the child inherits. */

/* What a child_fetch of the job asks for. */
enum {
    GRAPH_CHILD_GRAPH = JOB_CHILD_FIRST,
    GRAPH_CHILD_SHAPE,
    GRAPH_CHILD_NODES,
    GRAPH_CHILD_TARGETS
};

/* The input, as it was read. */
typedef struct {
    csr_t graph;
    graph_nodes_t nodes;
    int64_t *abundance; /* [n_nodes] of --order abundance, else NULL */
    graph_start_t start;
} graph_input_data_t;

/* graph_from.c: read the result of --from, which is refused unless its graph is `g` or
 * the one that `graph update` has made `g` of.
 * @param out  zeros; the caller's, also on errors
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t graph_from_read(const graph_opts_t *o, const csr_t *g,
                         const graph_nodes_t *nodes, graph_start_t *out) MUST_CHECK;

/* Free the arrays and set all members to 0. */
void graph_start_free(graph_start_t *s);

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

/*
 * Read all of a file of ours but its arcs (io/graphfile/csr_file.h), or targets of arcs,
 * where graph_child_read reads.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t graph_child_read_nodes(const graph_opts_t *o, csr_t *out) MUST_CHECK;
status_t graph_child_read_targets(const graph_opts_t *o, int64_t begin, int64_t end,
                                  int32_t *to) MUST_CHECK;
