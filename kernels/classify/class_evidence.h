/*
 * class_evidence.h - what is known about the taxa in the lineage of a read's best class,
 * before a rule (class_rule.h) turns it into probabilities.
 *
 * Besides the results of naive Bayes these are the sizes of taxa, the words of the read
 * that the best class covers, how alike the references of this class are, since genera
 * differ in how much their members differ, and which references have the rare words.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_CLASS_EVIDENCE_H
#define RIBOGRID_KERNELS_CLASSIFY_CLASS_EVIDENCE_H

#include "kernels/classify/class_rare.h"
#include "kernels/classify/nbc_backend.h"

/* Evidence for one taxon. */
typedef struct {
    double support;  /* fraction of resamples for the taxon, 0 .. 1 */
    double margin;   /* bits per word by which the best class outside the taxon costs more
                      * than the best class; CLASS_MARGIN_MAX without one */
    double n_refs;   /* references of the taxon; 0: the lineage ends above this rank */
    double covered;  /* fraction of the read's words in references of the best class */
    double likeness; /* minimum, over references of the best class, of the fraction of
                      * their words in the most similar other one of the class; 0 if it
                      * has only one */
    double lead;     /* class_rare_lead */
    double identity; /* maximum with references of the taxon, 0 .. 1; 0: unknown */
    double rival_identity; /* maximum with other references; 0: unknown */
} class_evidence_t;

#define CLASS_MARGIN_MAX 16.

/* Maximum number of references of a class, evenly spaced, that likeness compares. */
enum { CLASS_MEMBERS_MAX = 48 };

/* Scratch of one thread; all functions leave seen and n_shared zeroed. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS], turned[NBC_N_WORDS];
    uint64_t seen[NBC_N_WORDS / 64];                      /* a bit per word */
    uint64_t member[CLASS_MEMBERS_MAX][NBC_N_WORDS / 64]; /* a bit per word */
    uint16_t *n_shared;                                   /* [refs] of class_rare_lead */
} class_scratch_t;

/* What the evidence of all reads depends on. */
typedef struct {
    const nbc_model_t *model; /* borrowed */
    int32_t n_taxa;
    int32_t *taxon_refs; /* [n_taxa] references of each taxon and of all below it */
    double *likeness;    /* [classes->n] class_evidence_t's */
    class_rare_t rare;
} class_statistics_t;

/* A read among the results of a batch. */
typedef struct {
    const seqset_t *reads;
    int64_t read; /* of reads */
    const nbc_results_t *results;
    int64_t row;     /* of results */
    int n_resamples; /* of the results' options */
} class_read_t;

/* @param pool  NULL: the caller alone
 * @param out   the caller's; freed by class_statistics_free
 * @return ST_OK or ST_ENOMEM */
status_t class_statistics_create(const nbc_model_t *model, pool_t *pool,
                                 class_statistics_t *out) MUST_CHECK;

void class_statistics_free(class_statistics_t *k);

/* @param out  [n] the caller's; freed by class_scratch_destroy
 * @return ST_OK or ST_ENOMEM */
status_t class_scratch_create(const nbc_model_t *model, int n,
                              class_scratch_t **out) MUST_CHECK;

/* Takes NULL. */
void class_scratch_destroy(class_scratch_t *s);

/*
 * Collect the evidence for a read; identities are set to 0.
 *
 * @param out  [n_ranks] of the lineage of the best class, from the highest rank on; zeros
 *             below its end, and everywhere if no class was found
 */
void class_evidence_of(const class_statistics_t *k, const class_read_t *r,
                       class_scratch_t *scratch, class_evidence_t *out);

/* As class_evidence_of, for results of nbc_without_classify.
 * @param removed  [n_removed] ascending */
void class_evidence_without(const class_statistics_t *k, const class_read_t *r,
                            const int32_t *removed, int64_t n_removed,
                            class_scratch_t *scratch, class_evidence_t *out);

/* @return the length of the lineage of a class */
int class_lineage_len(const nbc_classes_t *c, int32_t class_number);

#endif
