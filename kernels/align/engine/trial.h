/*
 * trial.h - which of a device's rows is the fastest on a set: by trying them.
 *
 * Rows are timed on a small sample of the set's pairs, for each length class apart, and
 * their results compared with the reference's and with each other's.  A class is left to
 * the rows' order if it holds little of the work, or if its pairs are too long to be
 * tried in a moment.  A trial takes some 0.1 s a class, and less than 0.3 s in all; on a
 * GPU, which has to be filled, 0.1 s a row, and some 0.5 s in all.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_H

#include "kernels/align/engine/aligner.h"

/* A pair's class follows from the letters of its longer sequence: amplicons of one or two
 * variable regions; 16S genes, whole or nearly; and what is longer. */
enum { TRIAL_SHORT_MAX = 512, TRIAL_16S_MAX = 2048 };
enum { TRIAL_SHORT, TRIAL_16S, TRIAL_LONG, TRIAL_CLASSES };

static inline int trial_class(int64_t m, int64_t n)
{
    int64_t longer = m > n ? m : n;

    return longer <= TRIAL_SHORT_MAX ? TRIAL_SHORT
           : longer <= TRIAL_16S_MAX ? TRIAL_16S
                                     : TRIAL_LONG;
}

/* A class with no more than this part of the cells is not tried. */
#define TRIAL_PART_MIN 0.05

typedef struct {
    align_context_t context;
    const aligner_backend_t *const *rows; /* the preferred first, NULL at the end */
    const trial_cache_t *cache;           /* may be NULL */
} trial_t;

typedef struct {
    const aligner_backend_t *best[TRIAL_CLASSES]; /* NULL: the rows' order decides */
    double cells_per_s[TRIAL_CLASSES];            /* of best, by the whole device */
} trial_outcome_t;

/* Count the cells of every pair of a set, by class. @param cells  [TRIAL_CLASSES] */
void trial_cells(const seqset_t *set, double *cells);

/*
 * Try the device's rows.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE: a row failed, or its results are wrong
 */
status_t trial_run(const trial_t *t, trial_outcome_t *out) MUST_CHECK;

#endif
