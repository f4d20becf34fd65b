/*
 * cluster_pairs.h - clusters the sequences of a result file by one of five methods.
 */
#pragma once

#include "graph/cluster/cluster_run.h"
#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/pairs/pairs_file.h"

/* Check that a file holds the pairs that a method needs at an identity: all against all,
 * with identities, and for average linkage all of them.
 * @return ST_OK or ST_EINPUT (logged) */
status_t cluster_pairs_check(const pairs_file_t *file,
                             const cluster_pairs_opts_t *opts) MUST_CHECK;

/*
 * Cluster the sequences of a file that cluster_pairs_check accepts, as cluster_run does.
 *
 * @param pool   threads for single, average and opti; complete and centroid use one
 * @param label  [n] each sequence's cluster, named by one of its members
 * @param mcc    how well the clusters agree with the pairs at or above the identity; -1
 *               in each: not known, as the file has only hits with centroids
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged file, logged)
 */
status_t cluster_pairs(const pairs_file_t *file, const cluster_pairs_opts_t *opts,
                       pool_t *pool, int32_t *label, mcc_t *mcc, buf_t *joins) MUST_CHECK;
