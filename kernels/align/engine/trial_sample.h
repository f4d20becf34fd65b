/*
 * trial_sample.h - the pairs that backends are tried on: drawn from one length class of a
 * set, with the results known so far.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_SAMPLE_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_SAMPLE_H

#include "kernels/align/engine/trial.h"

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

#endif
