/*
 * class_train.h - the cases that rules are learned from: references at random without
 * themselves and without all that are similar to them, and a reference of each class in
 * turn without its whole taxa.
 *
 * The latter are what thresholds are learned from.  Reads of a genus are alike, so it is
 * genera that are exchangeable, not reads: each class counts once, however many
 * references it has, unless others are below it.  Where there are fewer classes than
 * samples, they have more turns.
 *
 * Similarity is the fraction of a sequence's words that the other one has.  The limits
 * correspond to identities of 99, 97, 95 and 90 % (medians of RDP's training set 18, the
 * same for whole genes and V4 regions within 0.04).
 */
#pragma once

#include "kernels/classify/class_case.h"

enum {
    CLASS_TRAIN_DISTANCES = 5, /* groups 0 .. 4; 0: without itself alone */
    CLASS_TRAIN_OWN = 5,       /* group: without its class */
    CLASS_TRAIN_HIGHER = 6,    /* group: without a random higher taxon */
    CLASS_TRAIN_GROUPS = 7,    /* cases of each sample, */
    CLASS_TRAIN_ABSENT = 2     /* and of a part: the last ones */
};

/* Samples of the references. */
typedef struct {
    const nbc_model_t *model; /* borrowed */
    int64_t n;
    int32_t *refs;   /* [n] of the cases without similar ones */
    int32_t *absent; /* [n] of the cases without whole taxa */
    int *higher;     /* [n] the rank of the higher taxon that a case of absent lacks */
    bool is_cut;     /* reads are parts of absent (class_region.h), and have the last
                      * CLASS_TRAIN_ABSENT cases alone: those that thresholds need */
} class_train_t;

/* @return the number of cases of each sample */
static inline int class_train_n_groups(const class_train_t *t)
{
    return t->is_cut ? CLASS_TRAIN_ABSENT : CLASS_TRAIN_GROUPS;
}

/* Cases for each of some consecutive samples. */
typedef struct {
    class_case_t *cases; /* [n]; the reads are the references, or their parts by the
                          * number of the sample */
    int64_t n;
    int32_t *removed; /* what the cases' own point into */
} class_train_cases_t;

/*
 * Draw samples from the references that have a class.
 *
 * @param model      only its references and classes are used
 * @param n_samples  maximum number of samples
 * @param out        the caller's; freed by class_train_free
 * @return ST_OK or ST_ENOMEM
 */
status_t class_train_create(const nbc_model_t *model, int64_t n_samples, uint64_t seed,
                            class_train_t *out) MUST_CHECK;

void class_train_free(class_train_t *t);

/*
 * List what the cases of some samples lack.  All references are compared with the
 * samples, which takes a byte for each pair of them; many samples at a time are faster.
 *
 * @param first  of n samples
 * @param pool   NULL: the caller alone
 * @param out    the caller's; freed by class_train_cases_free
 * @return ST_OK or ST_ENOMEM
 */
status_t class_train_list(const class_train_t *t, int64_t first, int64_t n, pool_t *pool,
                          class_train_cases_t *out) MUST_CHECK;

void class_train_cases_free(class_train_cases_t *c);
