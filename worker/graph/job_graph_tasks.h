/*
 * job_graph_tasks.h - how the job "graph" is divided into tasks: a source each; blocks of
 * sources whose results are summed; one task; or, if the graph is divided among the ranks
 * of a gang, blocks of nodes.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_TASKS_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_TASKS_H

#include "worker/graph/job_graph_state.h"

/* Blocks of sources.  Their number follows from the number of sources alone, so that the
 * sums of real numbers are the same in every run. */
enum { JOB_GRAPH_BLOCKS = 64 };

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

#endif
