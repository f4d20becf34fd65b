/*
 * job_graph_digest.h - the digest of a graph, made of the digests of blocks of its nodes
 * (part_graph.h), so that ranks that hold different blocks make it together.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_DIGEST_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_DIGEST_H

#include "io/graphfile/csr_rows.h"
#include "worker/graph/job_graph_state.h"

/* Set j->digest, unless it is set, from the whole graph. @return ST_OK or ST_ENOMEM */
status_t job_graph_digest_whole(job_graph_t *j) MUST_CHECK;

/*
 * Compute the digests of the blocks of some rows, and leave the others.
 *
 * @param id        [n_nodes] of the whole graph
 * @param of_block  [blocks of the graph]
 */
void job_graph_digest_rows(const int64_t *id, int64_t n_nodes, const csr_rows_t *rows,
                           uint64_t *of_block);

/* @return the digest of the graph */
uint64_t job_graph_digest_join(const uint64_t *of_block, int64_t n_nodes);

#endif
