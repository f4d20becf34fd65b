/*
 * aligner.h - aligns batches of pairs of a set, with the fastest backend that takes them.
 *
 * Every backend returns the same integers as nw_reference.c, which is the definition.
 * Pairs that the first backend does not take go to another one, in the end to the CPU's.
 */
#pragma once

#include "io/store/trial_cache.h"
#include "kernels/align/common/aligner_backend.h"
#include "kernels/device/backend.h"

typedef struct aligner aligner_t;

/* How to choose among the backends. */
typedef struct {
    const char *kernel; /* a backend's name, or "auto" */
    const char *except; /* a backend that is not used, by its name; NULL: none */
    bool trial;      /* "auto": by a short trial (trial.h) instead of the table's order,
                      * if the pairs take long enough to be worth one */
    double fraction; /* estimated, of the set's pairs, that will be aligned; 0: all */
    const trial_cache_t *cache;   /* keeps results of trials between runs; may be NULL */
    const backend_table_t *table; /* NULL: aligner_table */
} aligner_options_t;

/*
 * Create an aligner for the set of the context.
 *
 * @param options  cache and table are borrowed until destroy
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE (also: a trial found wrong results), ST_EUSAGE (no
 *         such backend, not for this device, or none supports the spec)
 */
status_t aligner_create(const align_context_t *context, const aligner_options_t *options,
                        aligner_t **out) MUST_CHECK;

/* @return the name of the first backend */
const char *aligner_name(const aligner_t *aligner);

/* @return its estimated rate in cells per second; measured if there was a trial */
double aligner_guess(const aligner_t *aligner);

/* @return how many batches should be in flight to keep the device busy: ALIGNER_DEPTH, or
 * 1 if a second one would only wait (or the run sets 1) */
int aligner_depth(const aligner_t *aligner);

/* Begin a batch, which is borrowed until aligner_wait returns; at most ALIGNER_DEPTH may
 * be in flight. @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t aligner_submit(aligner_t *aligner, const pair_batch_t *batch) MUST_CHECK;

/*
 * Finish the oldest batch.
 *
 * @param out  [batch->n] in the batch's order, valid until the next submit or wait;
 *             matches = columns = 0 for a pair without an identity (min_overlap)
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t aligner_wait(aligner_t *aligner, pair_results_t *out) MUST_CHECK;

void aligner_destroy(aligner_t *aligner);
