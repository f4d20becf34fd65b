/*
 * trial.h - finds the fastest of a device's backends for a set, by timing them.
 *
 * Each backend aligns a small sample of the set's pairs, one length class after the
 * other; its results are compared with the reference's and with the other backends'.  A
 * class is left to the table's order if it holds little of the work, or if its pairs take
 * too long to align.  A trial takes about 0.1 s per class, less than 0.3 s in all; on a
 * GPU, which needs many pairs to show its rate, 0.1 s per backend, about 0.5 s in all.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_H
#define RIBOGRID_KERNELS_ALIGN_ENGINE_TRIAL_H

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

#endif
