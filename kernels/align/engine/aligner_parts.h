/*
 * aligner_parts.h - the state of an aligner, and what it does where several rows share a
 * batch: deal the pairs out, and put the results together.
 *
 * Both cost nanoseconds a pair, as much as a GPU's kernels: the pool's threads do it.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_ALIGNER_PARTS_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_ALIGNER_PARTS_H

#include "io/base/buf.h"
#include "kernels/align/engine/trial.h"

enum { ALIGNER_ROWS_MAX = 8 };

/* The pairs of a batch that one row takes, where they are not all. */
typedef struct {
    pair_t *pairs;
    int64_t *index; /* [batch.n] into the batch */
    pair_batch_t batch;
    bool begun; /* by the row */
} aligner_part_t;

typedef struct {
    const aligner_backend_t *backend;
    void *state;  /* made when first needed */
    int64_t most; /* it takes every pair of sequences up to so many letters */
    aligner_part_t parts[ALIGNER_DEPTH];
    pair_results_t results; /* the row's, of the batch that was waited for last */
} aligner_share_t;

struct aligner {
    align_context_t context; /* of the device */
    align_context_t on_cpu;  /* for pairs that none of the device's backends takes */
    device_t cpu;
    const aligner_backend_t *const *backends;
    aligner_share_t shares[ALIGNER_ROWS_MAX]; /* in order of preference */
    int n_shares;
    int first[TRIAL_CLASSES]; /* the share to ask first, by length class */
    bool first_takes_all;
    double tried_rate; /* cells/s; 0: no trial */
    const pair_batch_t *batches[ALIGNER_DEPTH];
    int newest, oldest; /* batches begun and waited for, counted from 0 */
    int64_t part_capacity[ALIGNER_DEPTH];
    uint8_t *share_of_pair; /* [dealt_capacity] of the batch that is dealt */
    int64_t *piece_start;   /* [pieces of dealt_capacity][ALIGNER_ROWS_MAX] */
    int64_t dealt_capacity;
    const pair_batch_t *batch; /* that is waited for */
    int64_t capacity;
    pair_results_t merged; /* [capacity] where several rows answer */
    int64_t *cigar_start;  /* [capacity + 1] merged.cigar_start */
    buf_t cigar;           /* merged.cigar */
};

/* @return the context of the device that a share's backend runs on */
static inline const align_context_t *aligner_context_of(const aligner_t *a,
                                                        const aligner_share_t *share)
{
    return share->backend->kind == a->context.device->kind ? &a->context : &a->on_cpu;
}

/* Give each pair of a batch to its class's row, or else to the first one that takes it;
 * the last, scalar, takes all. @return ST_OK or ST_ENOMEM */
status_t aligner_parts_deal(aligner_t *a, const pair_batch_t *batch, int slot) MUST_CHECK;

/* Make room for the results of all shares. @return ST_OK or ST_ENOMEM */
status_t aligner_parts_reserve(aligner_t *a, int64_t n) MUST_CHECK;

/* Put a share's results among the others'. */
void aligner_parts_merge(aligner_t *a, const aligner_share_t *share, int slot);

/* Put the rows' CIGARs in the batch's order, after their results. @return ST_OK or
 * ST_ENOMEM */
status_t aligner_parts_merge_cigars(aligner_t *a, int slot) MUST_CHECK;

/* Take the identity of pairs with too short an overlap. */
void aligner_parts_drop_short(const aligner_t *a, pair_results_t *out);

void aligner_parts_free(aligner_t *a);

#endif
