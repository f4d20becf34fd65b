/*
 * class_opts.h - the jobs "classify" and "classify train" and their options, as a front
 * end fills them in.
 *
 * A front end starts from class_opts_defaults, writes what its user gives, and has
 * class_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/modelfile/class_result.h"
#include "io/prepare/prepare.h"
#include "io/seq/fasta.h"
#include "kernels/classify/class_rule.h"
#include "worker/job.h"
#include "worker/job_opts.h"

/* AUTO: CNN if the model is a network, else JOINT if it has rules, else NBC. */
typedef enum {
    CLASS_CHOICE_AUTO,
    CLASS_CHOICE_NBC,
    CLASS_CHOICE_ALIGN,
    CLASS_CHOICE_JOINT,
    CLASS_CHOICE_CNN
} class_choice_t;

typedef enum { CLASS_STRANDS_PLUS, CLASS_STRANDS_BOTH } class_strands_t;

typedef struct {
    job_opts_t common;

    bool is_training;

    /* input */
    seq_inputs_t inputs; /* reads, or one file of references to train with */
    fasta_opts_t fasta;
    abundance_labels_t labels; /* classify: that are read from the names */
    const char *model;         /* classify */
    const char *taxonomy;      /* train: lineages of the references; NULL: in
                                * their headers */
    bool allow_missing;        /* train: leave out references without lineage */
    primer_trim_t primers;     /* of the input */

    /* what to compute */
    class_choice_t method;
    class_prior_t prior; /* classify: of CLASS_CHOICE_JOINT */
    class_strands_t strands;
    int64_t n_resamples;
    int64_t seed;                         /* of the resamples, and of the samples */
    bool has_word_options;                /* settled: these, or a kernel without
                                           * CLASS_CHOICE_CNN, were given */
    bool learns_align;                    /* train: also rules for CLASS_CHOICE_ALIGN */
    int64_t n_samples;                    /* train: references to learn rules from */
    fraction_t novelty_rate, min_support; /* denominator 0: not given */

    /* output */
    class_format_t format; /* settled: if not given, as the output ends */
    int stream;            /* file that the model passes through, or -1 */
} class_opts_t;

class_opts_t class_opts_defaults(bool is_training);

/* By class_strands_t, as on the command line. */
extern const char *const class_strands_name[2];

/* By class_prior_t, as on the command line. */
extern const char *const class_prior_name[CLASS_PRIORS];

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t class_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/*
 * Check what is to be computed, and fill in what follows from it: what class_opts_settle
 * does besides files.
 *
 * @return ST_OK or ST_EUSAGE
 */
status_t class_opts_settle_job(class_opts_t *opts,
                               char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "classify": blocks of reads into names, by a model; and
 * "classify train": references and their lineages into a model. */

/* Of class_opts_t (class_opts_settle). */
extern const job_ops_t job_classify_ops;
