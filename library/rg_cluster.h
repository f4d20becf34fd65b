/*
 * rg_cluster.h - clusters of sequences, as labels and as groups.
 */
#pragma once

#include "graph/cluster/cluster_run.h"
#include "library/rg_context.h"
#include "library/rg_result.h"

typedef struct {
    int32_t *label;       /* [sequences] */
    const int64_t *sizes; /* the caller's, or NULL */
    cluster_pairs_opts_t opts;
    mcc_t mcc;
} rg_clusters_t;

/*
 * Cluster the sequences of a result.
 *
 * @param given  options; NULL: defaults
 * @param out    its label is freed by the caller
 * @return ST_OK, or an error (logged)
 */
status_t rg_cluster_make(rg_context_t *context, const rg_result_t *pairs,
                         const rg_cluster_options_t *given,
                         rg_clusters_t *out) MUST_CHECK;
