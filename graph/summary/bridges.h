/*
 * bridges.h - sequences that chain OTUs together: single linkage joins the OTUs through
 * them.
 *
 * Such a sequence may be a chimera, an intermediate species or an error of sequencing.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_BRIDGES_H
#define RIBOGRID_GRAPH_SUMMARY_BRIDGES_H

#include "io/base/pool.h"
#include "io/graphfile/graph_edges.h"
#include "io/pairs/pairs_scan.h"

typedef struct {
    int64_t sequence;
    double betweenness;  /* shortest paths of other sequences through it (Brandes 2001) */
    int64_t n_neighbors; /* sequences that are close to it */
    int64_t n_otus;      /* of it and its neighbors, at least 2 */
} bridge_t;

typedef struct {
    bridge_t *all; /* [n] in order of descending betweenness */
    int64_t n;
    int64_t n_clusters;  /* of single linkage that hold several OTUs */
    int64_t n_sequences; /* in these clusters */
    int64_t n_sources;   /* of them; if fewer, the betweenness is estimated from paths
                          * that begin at this number of random sequences */
    bool is_left_out;    /* more shortest paths than can be counted (logged): n is 0 */
} bridges_t;

/* How many to list, and what to spend. */
typedef struct {
    int64_t max;        /* bridges */
    int64_t max_visits; /* nodes and arcs that all searches together may visit; where all
                         * sources are too many, random ones are drawn, the same in every
                         * run */
    pool_t *pool;       /* NULL: the caller alone */
} bridges_opts_t;

/* OTUs of sequences. */
typedef struct {
    const int32_t *of; /* [n] the OTU of each sequence, of 0 .. n_otus-1, or -1: none */
    int64_t n, n_otus;
} bridges_otus_t;

/*
 * Find the bridges of highest betweenness in the graph of close pairs.
 *
 * @param id   pairs at or above it are close
 * @param out  release with bridges_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t bridges_find(const pairs_file_t *file, const fraction_t *id,
                      const bridges_otus_t *otus, const bridges_opts_t *opts,
                      bridges_t *out) MUST_CHECK;

/* The same of listed pairs. @param close  not directed; changed */
status_t bridges_find_in(graph_edges_t *close, const bridges_otus_t *otus,
                         const bridges_opts_t *opts, bridges_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void bridges_free(bridges_t *b);

#endif
