/*
 * cluster_methods.h - methods of clustering, one per file; cluster_pairs.h feeds them.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/otu/otu_closed.h"

#include <stdbool.h>
#include <stdint.h>

/* An edge of the similarity graph: two sequences and their identity.
 *
 * Nodes are sequences, identified by their index from 0.  An identity is the exact
 * fraction matches / columns and is compared as such, never as a float. */

typedef struct {
    int32_t a, b;             /* a != b, in any order; each pair occurs only once */
    int32_t matches, columns; /* columns > 0 */
} edge_t;

/* @return < 0, 0 or > 0 if the first identity is below, equal to or above the second */
static inline int edge_compare(int32_t matches1, int32_t columns1, int32_t matches2,
                               int32_t columns2)
{
    int64_t left = (int64_t)matches1 * columns2, right = (int64_t)matches2 * columns1;

    return (left > right) - (left < right);
}

/* A step of hierarchical clustering, as a dendrogram shows it. */

/* Two clusters, each named by one of its members, and the distance at which they join. */
typedef struct {
    int32_t a, b;
    double distance; /* 1 - identity */
} cluster_join_t;

/* adjacency.c: a graph as lists of neighbours with identities; each edge is in two
 * lists. */

typedef struct {
    int32_t node, matches, columns;
} neighbour_t;

typedef struct {
    int64_t n;
    int64_t *start; /* [n + 1] node i's neighbours are at start[i] .. start[i + 1] - 1 */
    neighbour_t *neighbour; /* [start[n]] ascending by node */
} adjacency_t;

/*
 * Build the lists.
 *
 * @param edges  [n_edges] in any order; fastest sorted by a, then b, with a < b
 * @return ST_OK or ST_ENOMEM
 */
status_t adjacency_create(int64_t n, const edge_t *edges, int64_t n_edges,
                          adjacency_t **out) MUST_CHECK;

/* Takes NULL. */
void adjacency_destroy(adjacency_t *adjacency);

/* average.c: average linkage (UPGMA) at a cutoff, on all pairs.
 *
 * The identity of two clusters is the mean identity of their pairs of members; a pair
 * without an identity counts as 0.  While the mean of any two clusters reaches the
 * cutoff, the two with the best mean merge.  Ties are broken as in complete.c.
 *
 * Arithmetic: an identity is rounded to a multiple of 2^-32.  Sums of these are exact, so
 * a mean does not depend on the order of merging; means are compared in integers.  A mean
 * reaches the cutoff if it does so within the rounding error of 2^-33, so that 96 and 98
 * of 100 have a mean of 97/100.
 *
 * If a mean reaches the cutoff, at least one of its pairs does.  Clusters therefore stay
 * within the connected components of such pairs, and each component is clustered on its
 * own, with 8 bytes per pair of its members.  The caller finds the components first and
 * then adds all pairs. */

/* Maximum members of a component: sums of more pairs could exceed 63 bits. */
enum { AVERAGE_COMPONENT_MAX = 1 << 16 };

typedef struct average average_t;

/* @return whether the identity of a pair, rounded as above, reaches the cutoff */
bool average_reaches(const fraction_t *id, int32_t matches, int32_t columns);

/*
 * Create a clustering of n nodes without pairs.
 *
 * @param id         the cutoff, above 0
 * @param component  [n] the lowest node of each node's component, with edges between the
 *                   pairs for which average_reaches is true
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (a component is too large)
 */
status_t average_create(int64_t n, const fraction_t *id, const int32_t *component,
                        average_t **out) MUST_CHECK;

/* Add pairs; those between components are ignored. */
void average_add(average_t *average, const edge_t *pairs, int64_t n_pairs);

/*
 * Cluster; call this once.  Each component is clustered by one thread of the pool.
 *
 * @param label  [n] the lowest node of each node's cluster
 * @param joins  [n] NULL: not needed.  joins[i]: how the cluster whose lowest node is i
 *               was merged into another; a is -1 if it was not
 */
void average_cluster(average_t *average, pool_t *pool, int32_t *label,
                     cluster_join_t *joins);

/* Takes NULL. */
void average_destroy(average_t *average);

/* centroid.c: greedy clustering around centroids.
 *
 * In a given order, each sequence joins the centroid with the best identity among those
 * that reach the cutoff; if there is none, it becomes a centroid.  Ties are broken by the
 * order of the centroids.  vsearch's --cluster_size and --cluster_fast do the same with
 * --maxaccepts 0
 * --maxrejects 0, where they compare all centroids and take the best.
 *
 * The algorithm is sequential, but a single pass over the edges is fast: it uses one
 * thread. */

/*
 * Cluster.
 *
 * @param graph     edges that reach the cutoff
 * @param order     [n] a permutation of the nodes
 * @param centroid  [n] the centroid of each node's cluster
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_cluster(const adjacency_t *graph, const int32_t *order,
                          int32_t *centroid) MUST_CHECK;

/*
 * Sort nodes by key, then by a second key, both descending, then by index.
 *
 * @param key, second  [n] each; NULL: all equal
 * @param order        [n] the sorted nodes
 * @return ST_OK or ST_ENOMEM
 */
status_t centroid_order(int64_t n, const int64_t *key, const int64_t *second,
                        int32_t *order) MUST_CHECK;

/* complete.c: complete linkage (furthest neighbour) at a cutoff, on the edges that reach
 * it.
 *
 * The identity of two clusters is the minimum identity of their pairs of members; if any
 * of these pairs is not an edge, the clusters never merge.  While any two clusters can
 * merge, the two with the best identity do.  Ties: a cluster is numbered by its lowest
 * member; of the pairs of equal identity, the one with the lowest first number merges,
 * then the one with the lowest second number.  Identities are compared exactly.
 *
 * A merged cluster keeps only the neighbours that both clusters have, so the number of
 * edges only falls: O(edges log edges) for sparse graphs. */

/*
 * Cluster.
 *
 * @param graph  edges that reach the cutoff; its lists are destroyed by the call
 * @param label  [n] the lowest node of each node's cluster
 * @param joins  [n] NULL: not needed.  joins[i]: how the cluster whose lowest node is i
 *               was merged into another; a is -1 if it was not
 * @return ST_OK or ST_ENOMEM
 */
status_t complete_cluster(adjacency_t *graph, int32_t *label,
                          cluster_join_t *joins) MUST_CHECK;

/* components.c: connected components: single linkage at a cutoff.
 *
 * Edges can be added in portions, as they are read, and are not stored: the memory is 4
 * bytes per node.  The threads of a pool share each portion.
 *
 * The sets are shared ones of disjoint_sets.h: the label of a component does not depend
 * on the order of edges or threads. */

typedef struct components components_t;

/* Create n nodes without edges. @return ST_OK or ST_ENOMEM */
status_t components_create(int64_t n, components_t **out) MUST_CHECK;

/* Add edges; identities are ignored. */
void components_join(components_t *components, pool_t *pool, const edge_t *edges,
                     int64_t n_edges);

/* @param label  [n] the lowest node of each node's component */
void components_label(components_t *components, int32_t *label);

/* Takes NULL. */
void components_destroy(components_t *components);

/* length_spread.c: finds fragments in a set of sequences: those much shorter than most.
 */

typedef struct {
    int64_t median;  /* of an even number of lengths the higher of the middle two */
    int64_t min;     /* the shortest */
    int64_t n_short; /* fragments: lengths below half of the median */
} length_spread_t;

/* @param lengths  [n] in bases, n >= 1; sorted in place */
length_spread_t length_spread_of(int64_t *lengths, int64_t n);

/* opticlust.c: OptiClust: moves sequences between clusters while Matthews' correlation
 * coefficient (mcc_value) rises.
 *
 * After Westcott, Schloss (2017), OptiClust, an improved method for assigning
 * amplicon-based sequence data to operational taxonomic units, mSphere 2:e00073-17.
 *
 * Each sequence starts in a cluster of its own.  In each round, the sequences that have
 * neighbours are visited in random order.  Each is tried alone and in the cluster of each
 * neighbour, and moves to where the coefficient is best.  Ties are broken by fewer wrong
 * pairs; then the sequence stays, or else prefers to be alone, or else joins the first
 * neighbour by index.  The paper stops when the coefficient is stable.  Here, after a
 * round without moves, whole clusters are merged if that improves the coefficient, and
 * further rounds follow until neither step helps.  Every step is an improvement, so this
 * terminates.  It begins with an earlier result instead, if there is one.
 *
 * The result depends on the order, so there are several starts with different orders,
 * which the threads of a pool share.  The best result is taken, of equal ones that of the
 * first start.  The same graph, seed and number of starts give the same clusters on every
 * machine with any number of threads. */

/*
 * Cluster.  Requires 32 bytes per node and thread.
 *
 * @param graph     edges that reach the cutoff; identities are not used
 * @param from      [n] the cluster that each node begins in, named by one of its members;
 *                  -1: alone.  NULL: all are alone
 * @param seed      seed of the random orders
 * @param n_starts  at least 1
 * @param label     [n] the lowest node of each node's cluster
 * @return ST_OK or ST_ENOMEM
 */
status_t opticlust_cluster(const adjacency_t *graph, const int32_t *from, uint64_t seed,
                           int64_t n_starts, pool_t *pool, int32_t *label) MUST_CHECK;

/* The agreement of a partition with a graph of similar pairs: Matthews'
 * correlation coefficient (Matthews 1975) over all pairs of sequences.
 *
 * A pair within a cluster is a positive, and it is a true positive if the pair is an
 * edge. Westcott and Schloss (2015, PeerJ) use it to evaluate OTUs. */

typedef struct {
    int64_t tp, tn, fp, fn; /* pairs */
} mcc_t;

/*
 * Count true and false positives and negatives.
 *
 * @param label  [n] the cluster of each node, as the number of any member
 * @param size   [n] zeros; on return the size of each cluster, by label
 * @param edges  [n_edges] or NULL: all edges are within clusters
 */
mcc_t mcc_count(int64_t n, const int32_t *label, int64_t *size, const edge_t *edges,
                int64_t n_edges);

/* @return -1 to 1; NAN if tp is below 0; 1 if no pair is wrong, else 0 if a margin of the
 * table is empty, after Chicco, Jurman (2020, BMC Genomics) */
double mcc_value(const mcc_t *counts);

/* best_reference.c: maps each query of a file to its best reference at an identity. */

/* Check that a file has queries against references, and their pairs at an identity.
 * @return ST_OK or ST_EINPUT (logged) */
status_t best_reference_check(const pairs_file_t *file, const fraction_t *id) MUST_CHECK;

/*
 * Find the best reference at or above an identity: that of the highest identity (of local
 * alignments: score), then of most matches; ties go to the first reference.
 *
 * @param file  best_reference_check accepts it
 * @param hits  [rows] out
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (damaged file)
 */
status_t best_reference_find(const pairs_file_t *file, const fraction_t *id,
                             otu_hit_t *hits) MUST_CHECK;
