/*
 * cluster_args.h - the options that choose how sequences are clustered.  `cluster` and
 * `report` share them, their defaults and the clustering, so that both find equal OTUs.
 */
#ifndef RIBOGRID_TOOLS_OPTIONS_CLUSTER_ARGS_H
#define RIBOGRID_TOOLS_OPTIONS_CLUSTER_ARGS_H

#include "graph/cluster/cluster_pairs.h"
#include "io/otu/otu_groups.h"
#include "tools/options/options.h"

/* -1: not given; cluster_args_settle fills in the defaults. */
typedef struct {
    fraction_t id; /* denominator 0: not given; its default is the command's */
    int method, order;
    int64_t seed, starts, threads;
} cluster_args_t;

/* The program that clusters, with its version, as files name it. */
extern const char *const cluster_args_program;

/* Nothing given. */
extern const cluster_args_t cluster_args_none;

/* @return whether any option was given */
bool cluster_args_given(const cluster_args_t *args);

/* Refuse options that contradict each other and fill in defaults.
 * @return ST_OK or ST_EUSAGE (logged) */
status_t cluster_args_settle(const command_t *command, cluster_args_t *args) MUST_CHECK;

/* Check that a file holds the pairs that the method needs. @return ST_OK or ST_EINPUT */
status_t cluster_args_check(const cluster_args_t *args,
                            const pairs_file_t *file) MUST_CHECK;

/*
 * Cluster the sequences of a file.
 *
 * @param label  [n] each sequence's cluster, named by one of its members
 * @param head   how they were clustered; min_size is 1
 * @param joins  as of cluster_pairs.h; NULL: not needed
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t cluster_args_run(const cluster_args_t *args, const pairs_file_t *file,
                          int32_t *label, otu_groups_head_t *head,
                          buf_t *joins) MUST_CHECK;

#endif
