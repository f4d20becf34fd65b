/*
 * tiled_plan.cuh - cuts a batch into what tiled-dscan launches: groups of pairs that fit
 * the scratch, and the order of their strips.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_TILED_TILED_PLAN_CUH
#define RIBOGRID_KERNELS_ALIGN_TILED_TILED_PLAN_CUH

#include "kernels/align/tiled/tiled_launch.cuh"

/* Pairs that are swept together. */
struct tiled_piece_t {
    int64_t first_pair, n_pairs, first_job, n_jobs, first_level, n_levels;
    int64_t n_strips;
    int64_t n_words, n_direction_words;
};

/* What jobs, lines and others say, they say in their group. */
struct tiled_plan_t {
    tiled_pair_t *pairs; /* [n_pairs] */
    tiled_job_t *jobs;   /* [n_jobs] */
    int *level_start;    /* [n_levels + 1] a group, one behind the other */
    tiled_piece_t *pieces;
    int64_t n_pairs, n_jobs, n_starts, n_pieces;
    int64_t max_words, max_direction_words; /* of a group */
};

/* What a plan depends on. */
struct tiled_plan_args_t {
    const seqset_t *set;
    const unsigned char *has_ambiguity; /* [n] */
    const tiled_layout_t *layout;
    bool traced;
    int64_t scratch_bytes; /* that a group may take */
};

/* @return bytes of scratch of a pair of at most m and n letters */
int64_t tiled_plan_pair_bytes(const tiled_layout_t *layout, bool traced, int64_t m,
                              int64_t n);

/* Plan a batch. @return ST_OK or ST_ENOMEM; free with tiled_plan_free */
status_t tiled_plan_create(const tiled_plan_args_t *args, const pair_batch_t *batch,
                           tiled_plan_t *out);

void tiled_plan_free(tiled_plan_t *plan);

#endif
