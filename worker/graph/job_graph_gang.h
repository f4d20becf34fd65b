/*
 * job_graph_gang.h - the job "graph" on a rank of a gang, and what its checkpoints hold.
 *
 * A task is a block of nodes (part_graph.h).  Its record has what computing took, which
 * the first block of a rank has for all of the rank's, then the columns of the nodes;
 * block 0's has the decisions, too.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_GANG_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_GANG_H

#include "worker/graph/job_graph_record.h"
#include "worker/graph/job_graph_state.h"

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

#endif
