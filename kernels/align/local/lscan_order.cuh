/*
 * lscan_order.cuh - the order in which warps take the pairs of a batch: by kind and size,
 * pairs that share sequences together.
 */
#pragma once

#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/local/lscan_layout.cuh"

/* What the order follows from. */
struct lscan_order_args_t {
    cuda_set_t set;
    const pair_t *pairs;           /* [n] */
    const int *place;              /* [n_sequences] lscan_place_create; NULL: no twins */
    int64_t max_score, max_column; /* of 16 bits */
    int64_t max_len32;             /* of KEYS32 */
    bool has_bases, has_profile, has_traced; /* whether there are kernels of the kinds */
};

/*
 * Place sequences so that those at places 2k and 2k + 1 are similar in length and near
 * each other in the set: pairs of both with the same target are twins, two pairs of one
 * word (TWIN_PROFILE).
 *
 * @param out  [set->n] on the device; free it with cudaFree
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t lscan_place_create(const seqset_t *set, int **out) MUST_CHECK;

/* Enqueue: order n pairs, and count them by kind.
 * @param n_of_kind  [LSCAN_KINDS] out, on the device: zeros
 * @param order      out: [n] on the device */
status_t lscan_order(const lscan_order_args_t &args, int64_t n, const pair_order_t &plan,
                     int *n_of_kind, cudaStream_t stream, const unsigned **order);
