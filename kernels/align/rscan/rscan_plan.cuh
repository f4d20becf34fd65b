/*
 * rscan_plan.cuh - puts the pairs of a round into the order in which warps take them:
 * pairs of the same kind together, and among them pairs of similar size, so that the
 * threads of a warp have about the same work.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_PLAN_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_PLAN_CUH

#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

extern "C" {
#include "kernels/align/common/score_band.h"
}

/* What the kind and the band of a pair follow from. */
struct rscan_plan_args_t {
    cuda_set_t set;
    const unsigned char *has_ambiguity;
    const pair_t *pairs;
    const int *edits, *score; /* [n] edit distances; with prove_bands: scores so far */
    edit_costs_t costs;
    int match_score;           /* of a match */
    bool score_only;           /* the round computes scores alone */
    bool exact;                /* the round computes in 64 bits */
    bool guess_bands;          /* choose bands that will probably do, and count them */
    bool prove_bands;          /* choose bands that provably do, from the scores so far */
    int max_len[RSCAN_KINDS];  /* bases that a kind's layout holds */
    int long_len[RSCAN_KINDS]; /* and those of the shorter sequence of a long pair */
    const unsigned char *banded; /* [n] which pairs have a guarded band; NULL: none */
    bool only_banded;            /* take only pairs with a band */
    bool first_bands;            /* choose bands that find a score (score_band.h), and
                                  * count them; with `banded`, only for those pairs */
    bool score_bands;            /* for pairs without a first band, choose those that
                                  * `score` proves: scores that pairs have at least */
    score_band_t score_band;
    bool known_bands;    /* band_w has them already */
    long long max_cells; /* pairs without 32-bit keys and with more cells in their bands
                          * are of kind KEY_LONG; 0: none */
    const rscan_band_t *windows; /* [n] bands of the pairs; NULL: they have no windows */
    bool query_rows;             /* the query's bases always are the rows */
    bool by_rows; /* pairs of one query together, if it has no codes (ROWS_QUERY) */
};

/* Pairs of a batch that a round takes, on the device. */
struct rscan_list_t {
    const unsigned *pairs; /* their indices in the batch; NULL: the whole batch */
    const int *n;          /* how many they are */
};

/*
 * Enqueue: order the pairs of a round, the largest first in each kind.
 *
 * @param n          pairs of the batch
 * @param band_w     [n] w of each pair's band, < 0: none; out if bands are chosen, in if
 *                   they are known
 * @param n_banded   pairs with a guessed or first band are added to it
 * @param n_of_kind  [RSCAN_KINDS] zeroed; out: pairs of each kind
 * @param order      out: pairs by kind
 */
status_t rscan_plan(const pair_order_t &plan, const rscan_plan_args_t &args, int64_t n,
                    rscan_list_t list, short *band_w, unsigned long long *n_banded,
                    int *n_of_kind, cudaStream_t stream, const unsigned **order);

#endif
