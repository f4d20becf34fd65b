/*
 * cluster_args.h - the options that choose how sequences are clustered.  `cluster` and
 * `report` share them, their defaults and the clustering, so that both find equal OTUs.
 */
#pragma once

#include "graph/cluster/cluster_pairs.h"
#include "io/otu/otu_groups.h"
#include "tools/options/options.h"

typedef struct {
    job_opts_t common;
    fraction_t id; /* denominator 0: the command has another default */
    int method, order;
    int64_t seed, starts;
    const int32_t *from; /* no option: clusters that opti begins with, or NULL */
} cluster_args_t;

/* The options of OTUs, but --id and --method. */
extern const option_t cluster_args_options[];
extern const option_rename_t cluster_args_renamed[];

/* The program that clusters, with its version, as files name it. */
extern const char *const cluster_args_program;

cluster_args_t cluster_args_defaults(void);

/* @return whether an option was given, besides --id */
bool cluster_args_given(const cluster_args_t *args);

/* Refuse options that contradict each other.
 * @return ST_OK or ST_EUSAGE (logged) */
status_t cluster_args_check_options(const command_t *command,
                                    const cluster_args_t *args) MUST_CHECK;

/* Check that a file holds the pairs that the method needs. @return ST_OK or ST_EINPUT */
status_t cluster_args_check(const cluster_args_t *args,
                            const pairs_file_t *file) MUST_CHECK;

/* @return how the sequences of a file will be clustered; min_size is 1, the agreement is
 *         not known */
otu_groups_head_t cluster_args_head(const cluster_args_t *args, const pairs_file_t *file);

/*
 * Cluster the sequences of a file.
 *
 * @param label  [n] each sequence's cluster, named by one of its members
 * @param head   that of cluster_args_head, and the agreement
 * @param joins  as of cluster_pairs.h; NULL: not needed
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t cluster_args_run(const cluster_args_t *args, const pairs_file_t *file,
                          int32_t *label, otu_groups_head_t *head,
                          buf_t *joins) MUST_CHECK;
