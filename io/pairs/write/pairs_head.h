/*
 * pairs_head.h - the content of a new result file, except for the pairs themselves.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_HEAD_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_HEAD_H

#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_order.h"
#include "io/result/run_info.h"
#include "io/seq/alphabet.h"

#include <stdbool.h>

/* A number of /run besides those of every file. */
typedef struct {
    const char *name;
    double number;
} pairs_run_number_t;

typedef struct {
    alphabet_t alphabet;             /* root attribute */
    const char *ends;                /* root attribute: "free", "count", "query" or
                                        "priced" */
    const char *identity;            /* root attribute; NULL: "matches / columns" */
    const char *identity_definition; /* root attribute: one of identity_def_name; NULL:
                                        not written */
    const char *job;         /* the job's text: everything that results depend on */
    int n_datasets;          /* PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR */
    const char *cigar_style; /* root attribute: "m" or "eqx"; NULL: no CIGARs */
    const char *score_unit;  /* root attribute: "0.5" if scores are in halves, or NULL */
    const run_info_t *run;
    const pairs_run_number_t *run_numbers; /* [n_run_numbers] */
    int n_run_numbers;
    const int64_t *sizes;           /* [sequences] abundances, or NULL: all are 1 */
    const pairs_members_t *members; /* NULL: the sequences themselves */
    const pairs_samples_t *samples; /* NULL: none known */
    pool_t *pool;                   /* threads that compress; NULL: only the caller */
    /* files of hits: */
    bool has_strand;
    fraction_t min_identity; /* denominator 0: no minimum */
    int64_t top;             /* best hits kept per query; 0: all */
    pairs_order_t top_order;
    const char *const *stages; /* [n_stages] names of the filter's stages */
    int n_stages;
} pairs_head_t;

/* How many pairs were filtered, aligned and kept. */
typedef struct {
    int64_t n_pairs; /* of both strands, if both were aligned */
    int64_t n_dropped[PAIRS_STAGES_MAX];
    int64_t n_aligned;
    int64_t n_kept;
    int64_t n_without_identity; /* aligned pairs; both strands count as one */
} pairs_counts_t;

#endif
