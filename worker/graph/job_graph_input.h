/*
 * job_graph_input.h - the graph of the job "graph", on every rank.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_INPUT_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_INPUT_H

#include "worker/exchange.h"
#include "worker/graph/job_graph_state.h"

/*
 * Read and build the graph and choose its sources on rank 0, and send them to the others.
 * Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_graph_read(job_graph_t *j, exchange_t *x) MUST_CHECK;

#endif
