/*
 * job_graph_part.h - a graph that is divided among the ranks: when, and who reads what.
 *
 * Of our own files, every rank reads its own rows.  Other formats are read and built on
 * rank 0, which sends each rank its rows.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_PART_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_PART_H

#include "worker/exchange.h"
#include "worker/graph/job_graph_state.h"

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

#endif
