/*
 * nbc_results.h - what naive Bayes finds out about reads.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_RESULTS_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_RESULTS_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int32_t class_number; /* the best class of all words; -1: the read has no words, or
                           * no class has references */
    int32_t n_words;      /* distinct words of the read */
    int32_t cost;         /* of the class; NBC_COST_NONE without one */
    bool reversed;        /* the read was classified as its reverse complement */
} nbc_best_t;

/* Element r of a read's row stands for rank r + 1, n_ranks those of the classes.  Ranks
 * that the lineage of the best class does not have get 0 and NBC_COST_NONE. */
typedef struct {
    nbc_best_t *best;  /* [n] */
    uint16_t *support; /* [n][n_ranks] of the taxon of this rank above the best class */
    int32_t *rival;    /* [n][n_ranks] minimum cost, for all words, of the classes outside
                        * that taxon; NBC_COST_NONE: there are none */
} nbc_results_t;

/* Allocate results of n reads. @return ST_OK or ST_ENOMEM; the caller frees them */
status_t nbc_results_create(int64_t n, int n_ranks, nbc_results_t *out) MUST_CHECK;

void nbc_results_free(nbc_results_t *r);

#endif
