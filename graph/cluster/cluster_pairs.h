/*
 * cluster_pairs.h - reads the pairs of a result file and hands them to a clustering
 * method.
 */
#ifndef RIBOGRID_GRAPH_CLUSTER_CLUSTER_PAIRS_H
#define RIBOGRID_GRAPH_CLUSTER_CLUSTER_PAIRS_H

#include "graph/cluster/mcc.h"
#include "io/base/pool.h"
#include "io/pairs/pairs_file.h"

typedef enum {
    CLUSTER_SINGLE,
    CLUSTER_COMPLETE,
    CLUSTER_CENTROID,
    CLUSTER_AVERAGE,
    CLUSTER_OPTI
} cluster_method_t; /* in the order of CLUSTER_METHODS */

#define CLUSTER_METHODS "single|complete|centroid|average|opti"

typedef struct {
    const char *path; /* of the file, for messages */
    cluster_method_t method;
    fraction_t id;
    bool by_length; /* CLUSTER_CENTROID: longest first, not most abundant */
    uint64_t seed;  /* CLUSTER_OPTI */
    int64_t n_starts;
} cluster_pairs_opts_t;

/*
 * Cluster the sequences of a file of all against all, with identities.
 *
 * @param label  [n] each sequence's cluster by one of its members
 * @param mcc    how the clusters agree with the pairs at or above the identity
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t cluster_pairs(const pairs_file_t *file, const cluster_pairs_opts_t *spec,
                       pool_t *pool, int32_t *label, mcc_t *mcc) MUST_CHECK;

#endif
