/*
 * cluster_run.h - clusters the sequences of a set by one of five methods, from pairs that
 * a source reads: a file, or memory.
 */
#pragma once

#include "graph/cluster/cluster_methods.h"
#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/otu/otu_groups.h"
#include "io/seq/alphabet.h"

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

/* Of CLUSTER_OPTI: default seed; default and maximum number of random orders. */
enum { CLUSTER_SEED = 1, CLUSTER_STARTS = 10, CLUSTER_STARTS_MAX = 1000000 };

typedef struct {
    cluster_method_t method;
    fraction_t id;
    bool by_length;   /* CLUSTER_CENTROID: longest first instead of most abundant first */
    uint64_t seed;    /* CLUSTER_OPTI */
    int64_t n_starts; /* CLUSTER_OPTI: random orders to try */
    const int32_t *from; /* [n] CLUSTER_OPTI: clusters to begin with, each named by one of
                          * its members; -1: alone; NULL: all alone */
} cluster_pairs_opts_t;

/* Takes pairs, which it may overwrite. @return ST_OK or an error, which ends the scan */
typedef status_t (*cluster_take_t)(void *ctx, edge_t *edges, int64_t n_edges);

/* The pairs of a set, all with all. */
typedef struct cluster_source {
    const char *label; /* for messages */
    int64_t n;         /* sequences */
    alphabet_t alphabet;
    const int32_t *lengths; /* [n] */
    const int64_t *sizes;   /* [n] abundances; NULL: all are equal */
    bool counts_overhang;   /* identity_def_counts_overhang */
    bool is_partial;        /* only hits with centroids: there is no MCC */

    /*
     * Read all pairs at or above an identity, some at a time.
     *
     * @param id         denominator 0: all pairs with an identity
     * @param n_without  out: pairs without an identity, among those that were read
     */
    status_t (*scan)(const struct cluster_source *source, const fraction_t *id,
                     cluster_take_t take, void *ctx, int64_t *n_without);
} cluster_source_t;

/*
 * Cluster.  With single linkage a set that holds fragments is warned about where they may
 * join unrelated clusters.  With `from` the sequences are also clustered without it, and
 * a line has the MCC of both.
 *
 * @param pool   threads for single, average and opti; complete and centroid use one
 * @param label  [n] each sequence's cluster, named by one of its members
 * @param mcc    how well the clusters agree with the pairs at or above the identity; -1
 *               in each: not known
 * @param joins  NULL: not needed.  Of single, average and complete linkage: appended
 *               cluster_join_t, from which newick.c makes the dendrogram; of single
 *               linkage all pairs at or above the identity
 * @return ST_OK, ST_ENOMEM, or an error of the source
 */
status_t cluster_run(const cluster_source_t *source, const cluster_pairs_opts_t *opts,
                     pool_t *pool, int32_t *label, mcc_t *mcc, buf_t *joins) MUST_CHECK;

/* @return what a file of the clusters says of how they were found, but for program, input
 * and run: those of all OTUs, in order
 * @param mcc  of cluster_run; NULL: not known yet */
otu_groups_head_t cluster_head(const cluster_pairs_opts_t *opts, const mcc_t *mcc);
