/*
 * aligner_split.h - the state of an aligner, and how a batch is split between backends
 * and put together again.
 *
 * Both take nanoseconds per pair, as much as a GPU's kernels do, so the thread pool does
 * them.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_ALIGNER_SPLIT_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_ALIGNER_SPLIT_H

#include "io/base/buf.h"
#include "kernels/align/engine/trial.h"

/* The pairs of a batch that one backend gets, where it does not get all of them. */
typedef struct {
    pair_t *pairs;
    int64_t *index; /* [batch.n] of each pair in the whole batch */
    pair_batch_t batch;
    bool begun; /* submitted to the backend */
} sub_batch_t;

typedef struct {
    const aligner_backend_t *backend;
    void *state;         /* created when it is first needed */
    int64_t max_len;     /* it takes every pair of sequences of at most this many bases */
    int64_t max_shorter; /* and every pair of which one sequence has at most these */
    sub_batch_t sub[ALIGNER_DEPTH];
    pair_results_t results; /* of the batch that was waited for last */
} ranked_backend_t;

struct aligner {
    align_context_t context; /* of the device */
    align_context_t on_cpu;  /* for pairs that none of the device's backends takes */
    device_t cpu;
    const backend_table_t *table;
    ranked_backend_t *ranked; /* [n_ranked] in order of preference */
    int n_ranked;
    int first_of[TRIAL_CLASSES]; /* the backend to try first, by length class */
    bool first_takes_all;        /* ranked[0] gets whole batches */
    double trial_rate;           /* cells/s; 0: there was no trial */
    const pair_batch_t *batches[ALIGNER_DEPTH];
    int newest, oldest; /* batches begun and waited for, counted from 0 */
    int64_t sub_capacity[ALIGNER_DEPTH];
    uint16_t *choice;     /* [split_capacity] of each pair: index into ranked */
    int64_t *piece_start; /* [pieces of split_capacity][n_ranked] */
    int64_t split_capacity;
    const pair_batch_t *batch; /* the one that is waited for */
    int64_t capacity;
    pair_results_t merged; /* [capacity] of a batch that was split */
    int64_t *cigar_start;  /* [capacity + 1] merged.cigar_start */
    buf_t cigar;           /* merged.cigar */
};

/* @return the context of the device that a backend runs on */
static inline const align_context_t *aligner_context_of(const aligner_t *a,
                                                        const aligner_backend_t *backend)
{
    return backend->base.kind == a->context.device->kind ? &a->context : &a->on_cpu;
}

/* Give each pair of a batch to the first backend of its length class, or else to the
 * first one that takes it. @return ST_OK or ST_ENOMEM */
status_t aligner_split_batch(aligner_t *a, const pair_batch_t *batch,
                             int slot) MUST_CHECK;

/* Reserve memory for the merged results of n pairs. @return ST_OK or ST_ENOMEM */
status_t aligner_split_reserve(aligner_t *a, int64_t n) MUST_CHECK;

/* Copy a backend's results to where the batch has their pairs. */
void aligner_split_merge(aligner_t *a, const ranked_backend_t *ranked, int slot);

/* Copy all CIGARs, after all other results were merged. @return ST_OK or ST_ENOMEM */
status_t aligner_split_merge_cigars(aligner_t *a, int slot) MUST_CHECK;

/* Clear the identity of pairs whose overlap is too short (min_overlap). */
void aligner_split_clear_short(const aligner_t *a, pair_results_t *out);

void aligner_split_free(aligner_t *a);

#endif
