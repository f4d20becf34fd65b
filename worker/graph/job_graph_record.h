/*
 * job_graph_record.h - a task's result as one record of the log: what it took, then the
 * columns, the arcs and the decisions.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_RECORD_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_RECORD_H

#include "io/base/buf.h"
#include "kernels/graph/common/graph_backend.h"

/* What computing took, besides what the result itself says. */
typedef struct {
    double copy_s;     /* seconds that the rank took to put the graph on its device */
    double exchange_s; /* seconds of exchanges between ranks, and bytes that they sent; */
    int64_t exchange_bytes; /* not in the record: of job_graph_gang.h */
} job_graph_effort_t;

/* Append a record. @return ST_OK or ST_ENOMEM (logged) */
status_t job_graph_record_pack(const graph_info_t *info, int64_t n_nodes,
                               const graph_result_t *result,
                               const job_graph_effort_t *effort, buf_t *out) MUST_CHECK;

/*
 * Read a record.
 *
 * @param out  freed by the caller; not set on errors
 * @return ST_OK, ST_ENOMEM (logged), or ST_EINPUT: the record is not one of such a task
 */
status_t job_graph_record_unpack(const graph_info_t *info, int64_t n_nodes,
                                 const void *data, size_t len, graph_result_t *out,
                                 job_graph_effort_t *effort) MUST_CHECK;

#endif
