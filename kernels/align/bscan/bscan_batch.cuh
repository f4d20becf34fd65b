/*
 * bscan_batch.cuh - edit distances of the pairs of a batch, or scores that follow from
 * them.
 */
#pragma once

#include "kernels/align/cuda/cuda_batch.cuh"

struct bscan_t;

/* The score of a pair of m and n bases with e edits: unit_score (m + n - e) - gap_cost (m
 * + n). */
struct bscan_score_t {
    long long unit_score, gap_cost;
};

constexpr bscan_score_t BSCAN_EDITS = {-1, -1}; /* the "score" is e itself */

/* Maximum bases of a sequence. */
constexpr int64_t BSCAN_MAX = INT32_MAX / 8;

/* @return the maximum bases of a sequence of a set, limited to BSCAN_MAX */
inline int64_t bscan_longest(const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);

    return longest < BSCAN_MAX ? longest : BSCAN_MAX;
}

/*
 * Prepare for the batches of a set.  Everything is borrowed until destroy, but the pool.
 *
 * @param longest  maximum bases of the sequences that may come
 * @param banded   whether to use bands, which are proved to suffice
 * @param batch    holds the set on the device
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t bscan_create(const device_t *device, pool_t *pool, const seqset_t *set,
                      int64_t longest, bool banded, bscan_score_t score,
                      const cuda_batch_t *batch, bscan_t **out) MUST_CHECK;

/* Enqueue: align a batch. @param out  [n] on the device: the scores */
status_t bscan_run(bscan_t *b, const cuda_work_t *work, int *out) MUST_CHECK;

/* Takes NULL; nothing may be in flight.  Logs at -v how often bands sufficed. */
void bscan_destroy(bscan_t *b);
