/*
 * tiled_plan.cuh - divides a batch into the launches of tiled-dscan: pieces whose pairs
 * fit the scratch memory together, and the order of their strips.
 */
#pragma once

#include "kernels/align/tiled/tiled_launch.cuh"

/* The pairs of one launch: those of the batch from first_pair on. */
struct tiled_piece_t {
    int64_t first_pair, n_pairs, first_job, n_jobs, first_level, n_levels;
    int64_t n_strips;
    int64_t n_words, n_direction_words;
};

/* Jobs refer to pairs, and pairs to scratch memory, from the beginning of their piece. */
struct tiled_plan_t {
    tiled_pair_t *pairs; /* [n_pairs] */
    tiled_job_t *jobs;   /* [n_jobs] */
    int *level_start;    /* [n_levels + 1] of each piece, concatenated */
    tiled_piece_t *pieces;
    int64_t n_pairs, n_jobs, n_starts, n_pieces;
    int64_t max_words, max_direction_words; /* of a piece */
};

/* What a plan depends on beside the batch. */
struct tiled_plan_args_t {
    const seqset_t *set;
    const unsigned char *has_ambiguity; /* [n] */
    const tiled_layout_t *layout;
    bool traced;
    int64_t scratch_bytes; /* that a piece may take */
};

/* @return an upper bound of the scratch memory of a pair of m and n bases, in bytes */
int64_t tiled_plan_pair_bytes(const tiled_layout_t *layout, bool traced, int64_t m,
                              int64_t n);

/* Plan a batch; free the plan with tiled_plan_free. @return ST_OK or ST_ENOMEM */
status_t tiled_plan_create(const tiled_plan_args_t *args, const pair_batch_t *batch,
                           tiled_plan_t *out);

void tiled_plan_free(tiled_plan_t *plan);
