/*
 * class_trial.h - one trial of a protocol of `ribogrid-bench classify`, with one seed.
 *
 * By identity (Edgar 2018): queries are classified by all genes without themselves and
 * without all whose identity exceeds 100, 99, 97, 95 and 90 %, then without their class.
 * Split (class_split.h): one gene of each class with three or more is held out as a query
 * of a known class, and other classes are left out whole.
 * Rules are learned from the remaining genes alone.
 */
#ifndef RIBOGRID_BENCH_CLASSIFY_CLASS_TRIAL_H
#define RIBOGRID_BENCH_CLASSIFY_CLASS_TRIAL_H

#include "bench/classify/class_methods.h"
#include "bench/classify/class_tools.h"
#include "io/base/rng.h"

enum {
    CLASS_TRIAL_METHODS = CLASS_BENCH_METHODS + CLASS_PEERS,
    CLASS_TRIAL_DISTANCES = 5,                    /* groups by identity */
    CLASS_TRIAL_LEFT_OUT = CLASS_TRIAL_DISTANCES, /* group without the class */
    CLASS_TRIAL_GROUPS = CLASS_TRIAL_LEFT_OUT + 1 /* of the protocol by identity */
};

/* percent; the first is never exceeded */
extern const int class_trial_identity[CLASS_TRIAL_DISTANCES];

typedef struct {
    int64_t n_queries, n_samples;
    uint64_t seed;
    double novelty_rate;
    bool runs[CLASS_BENCH_METHODS];
    class_peers_t peers;
    const class_pairs_t *pairs; /* of all genes; NULL: they are aligned */
} class_trial_options_t;

typedef struct {
    int64_t n;
    class_judged_t of[CLASS_TRIAL_METHODS];
    int64_t n_queries;
    double novelty_rate;         /* of the options */
    double seconds[CLASS_PEERS]; /* that a peer took */
} class_trial_t;

/* Begin a trial of the methods that are run; freed by class_trial_free. */
void class_trial_begin(const class_trial_options_t *o, class_trial_t *out);

/* @param trial  begun
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EDEVICE or ST_EINPUT (too few genes, logged) */
status_t class_trial_by_identity(const class_data_t *d, const class_folder_t *f,
                                 const class_trial_options_t *o,
                                 class_trial_t *trial) MUST_CHECK;

void class_trial_free(class_trial_t *t);

/* Shuffle n numbers. */
void class_trial_shuffle(rng_t *rng, int32_t *x, int64_t n);

#endif
