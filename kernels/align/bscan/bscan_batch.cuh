/*
 * bscan_batch.cuh - edit distances of a batch's pairs, as scores or as they are.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BATCH_CUH
#define RIBOGRID_KERNELS_ALIGN_BSCAN_BSCAN_BATCH_CUH

#include "kernels/align/cuda/cuda_batch.cuh"

struct bscan_t;

/* A pair of m and n letters, e edits apart: unit_score (m + n - e) - gap_cost (m + n). */
struct bscan_score_t {
    long long unit_score, gap_cost;
};

constexpr bscan_score_t BSCAN_EDITS = {-1, -1}; /* e itself */

/* Letters of a sequence, at most. */
constexpr int64_t BSCAN_MAX = INT32_MAX / 8;

/* @return letters of the longest of a set's sequences that there can be edits of */
inline int64_t bscan_longest(const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);

    return longest < BSCAN_MAX ? longest : BSCAN_MAX;
}

/*
 * Get ready for the batches of a set; all is borrowed until destroy.
 *
 * @param longest  letters that pairs' sequences will have at most
 * @param banded   in bands that are proved, or else whole matrices
 * @param batch    has the set on the device
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t bscan_create(const device_t *device, pool_t *pool, const seqset_t *set,
                      int64_t longest, bool banded, bscan_score_t score,
                      const cuda_batch_t *batch, bscan_t **out) MUST_CHECK;

/* Enqueue a batch's pairs. @param out  [n] their scores */
status_t bscan_run(bscan_t *b, const cuda_work_t *work, int *out) MUST_CHECK;

/* Takes NULL; nothing may be under way. Says (-v) how bands did. */
void bscan_destroy(bscan_t *b);

#endif
