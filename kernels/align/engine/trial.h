/*
 * trial.h - finds the fastest of a device's backends for a set, by timing them.
 *
 * Each backend aligns a small sample of the set's pairs, one length class after the
 * other; its results are compared with the reference's and with the other backends'.  A
 * class is left to the table's order if it holds little of the work, or if its pairs take
 * too long to align.  A trial takes about 0.1 s per class, less than 0.3 s in all; on a
 * GPU, which needs many pairs to show its rate, 0.1 s per backend, about 0.5 s in all.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/align/engine/aligner.h"

/* The length class of a pair follows from its longer sequence: amplicons of one or two
 * variable regions; 16S genes, complete or nearly so; anything longer. */
enum { TRIAL_SHORT_MAX = 512, TRIAL_16S_MAX = 2048 };
enum { TRIAL_SHORT, TRIAL_16S, TRIAL_LONG, TRIAL_CLASSES };

static inline int trial_class(int64_t m, int64_t n)
{
    int64_t longer = m > n ? m : n;

    return longer <= TRIAL_SHORT_MAX ? TRIAL_SHORT
           : longer <= TRIAL_16S_MAX ? TRIAL_16S
                                     : TRIAL_LONG;
}

/* A class with at most this fraction of the cells is not tried. */
#define TRIAL_FRACTION_MIN 0.05

typedef struct {
    align_context_t context;
    const backend_table_t *table;
    const trial_cache_t *cache; /* may be NULL */
    double (*now_s)(void);      /* the clock, clock_now_s() but in tests */
} trial_t;

typedef struct {
    const aligner_backend_t *best[TRIAL_CLASSES]; /* NULL: the table's order decides */
    double cells_per_s[TRIAL_CLASSES];            /* of best, on the whole device */
} trial_outcome_t;

/* Count the cells of all pairs of a set, by class. @param cells  [TRIAL_CLASSES] out */
void trial_cells(const seqset_t *set, double *cells);

/*
 * Try the device's backends.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE: a backend failed, or its results are wrong
 */
status_t trial_run(const trial_t *t, trial_outcome_t *out) MUST_CHECK;

/* trial_sample.c: the pairs that backends are tried on: drawn from one length class of a
 * set, with the results known so far. */

enum { TRIAL_SIDE = 32, TRIAL_PAIRS_START_MAX = 1 << 17, TRIAL_PAIRS_MAX = 1 << 18 };

typedef struct {
    const trial_t *trial;
    seqset_t *set;     /* TRIAL_SIDE sequences of the class, then as many that are no
                        * longer than the class allows */
    pair_t *pairs;     /* [TRIAL_PAIRS_MAX] each of a sequence of either half */
    int64_t n_pairs;   /* different pairs; they come first and are then repeated */
    double pair_cells; /* average cells per pair */
    int64_t n_checked; /* pairs whose results are known from the reference */
    int64_t n_known;   /* pairs whose results are known */
    int32_t *known;    /* [n_known][3] score, matches, columns */
    const aligner_backend_t **by; /* [n_known] whose result; NULL: the reference's */
} trial_sample_t;

/*
 * Draw the sample of a class.
 *
 * @param out  zeroed; must be freed on failure too
 * @return ST_OK or ST_ENOMEM
 */
status_t trial_sample_draw(const trial_t *t, int length_class,
                           trial_sample_t *out) MUST_CHECK;

/* Drop the pairs that some backend does not take. @param backends  [n_backends] */
void trial_sample_keep(trial_sample_t *s, const aligner_backend_t *const *backends,
                       int n_backends);

/* Align the first few pairs by the reference, for at most about 0.1 s. */
status_t trial_sample_check(trial_sample_t *s) MUST_CHECK;

/* @return cells of the first n pairs */
double trial_sample_cells(const trial_sample_t *s, int64_t n);

/*
 * Compare a backend's results of the first n pairs with the known ones, and remember
 * those that were not known.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE: they differ (logged)
 */
status_t trial_sample_compare(trial_sample_t *s, const aligner_backend_t *backend,
                              int64_t n, const pair_results_t *got) MUST_CHECK;

void trial_sample_free(trial_sample_t *s);

/* aligner_split.c: the state of an aligner, and how a batch is split between backends
 * and put together again.
 *
 * Both take nanoseconds per pair, as much as a GPU's kernels do, so the thread pool does
 * them. */

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
