/*
 * trial_sample.h - pairs to try rows on: drawn from one length class of a set, with the
 * results that are known of them.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_SAMPLE_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_SAMPLE_H

#include "kernels/align/engine/trial.h"

enum { TRIAL_SIDE = 32, TRIAL_PAIRS_START_MAX = 1 << 17, TRIAL_PAIRS_MAX = 1 << 18 };

typedef struct {
    const trial_t *trial;
    seqset_t *set;     /* TRIAL_SIDE sequences of the class, and as many no longer ones */
    pair_t *pairs;     /* [TRIAL_PAIRS_MAX] one of the former, one of the latter */
    int64_t n_pairs;   /* different ones, which come first, and then again and again */
    double pair_cells; /* of one on the average */
    int64_t n_checked; /* pairs whose results are the reference's */
    int64_t n_known;   /* pairs whose results are known */
    int32_t *known;    /* [n_known][3] score, matches, columns */
    const aligner_backend_t **by; /* [n_known] the row that gave them; NULL: reference */
} trial_sample_t;

/*
 * Draw the sample of a class.
 *
 * @param out  zeroed; to be freed on failure too
 * @return ST_OK or ST_ENOMEM
 */
status_t trial_sample_draw(const trial_t *t, int length_class,
                           trial_sample_t *out) MUST_CHECK;

/* Keep the pairs that every row takes. @param rows  [n_rows] */
void trial_sample_keep(trial_sample_t *s, const aligner_backend_t *const *rows,
                       int n_rows);

/* Know the first few pairs' results by the reference, in some 0.1 s. */
status_t trial_sample_check(trial_sample_t *s) MUST_CHECK;

/* @return cells of the first n pairs */
double trial_sample_cells(const trial_sample_t *s, int64_t n);

/*
 * Compare a row's results of the first n pairs with what is known, and keep the rest.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE: they differ (logged)
 */
status_t trial_sample_compare(trial_sample_t *s, const aligner_backend_t *row, int64_t n,
                              const pair_results_t *got) MUST_CHECK;

void trial_sample_free(trial_sample_t *s);

#endif
