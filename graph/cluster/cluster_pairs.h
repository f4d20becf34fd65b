/*
 * cluster_pairs.h - clusters the sequences of a result file by one of five methods.
 */
#pragma once

#include "graph/cluster/cluster_methods.h"
#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/pairs/pairs_file.h"

typedef enum {
    CLUSTER_SINGLE,
    CLUSTER_COMPLETE,
    CLUSTER_CENTROID,
    CLUSTER_AVERAGE,
    CLUSTER_OPTI
} cluster_method_t; /* same order as CLUSTER_METHODS */

#define CLUSTER_METHODS "single|complete|centroid|average|opti"

/* By cluster_method_t: the words of CLUSTER_METHODS. */
extern const char *const cluster_method_name[];

typedef struct {
    cluster_method_t method;
    fraction_t id;
    bool by_length;   /* CLUSTER_CENTROID: longest first instead of most abundant first */
    uint64_t seed;    /* CLUSTER_OPTI */
    int64_t n_starts; /* CLUSTER_OPTI: random orders to try */
    const int32_t *from; /* [n] CLUSTER_OPTI: clusters to begin with, each named by one of
                          * its members; -1: alone; NULL: all alone */
} cluster_pairs_opts_t;

/* Check that a file holds the pairs that a method needs at an identity: all against all,
 * with identities, and for average linkage all of them.
 * @return ST_OK or ST_EINPUT (logged) */
status_t cluster_pairs_check(const pairs_file_t *file,
                             const cluster_pairs_opts_t *opts) MUST_CHECK;

/*
 * Cluster the sequences of a file that cluster_pairs_check accepts.  With single linkage
 * a set that holds fragments is warned about where they may join unrelated clusters.
 * With `from` the sequences are also clustered without it, and a line has the MCC of
 * both.
 *
 * @param pool   threads for single, average and opti; complete and centroid use one
 * @param label  [n] each sequence's cluster, named by one of its members
 * @param mcc    how well the clusters agree with the pairs at or above the identity; -1
 *               in each: not known, as the file has only hits with centroids
 * @param joins  NULL: not needed.  Of single, average and complete linkage: appended
 *               cluster_join_t, from which newick.c makes the dendrogram; of single
 *               linkage all pairs at or above the identity
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged file, logged)
 */
status_t cluster_pairs(const pairs_file_t *file, const cluster_pairs_opts_t *opts,
                       pool_t *pool, int32_t *label, mcc_t *mcc, buf_t *joins) MUST_CHECK;
