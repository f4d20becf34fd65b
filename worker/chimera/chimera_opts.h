/*
 * chimera_opts.h - the job "chimeras" and its options, as a front end fills them in.
 *
 * A front end starts from chimera_opts_defaults, writes what its user gives, and has
 * chimera_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "kernels/chimera/chimera_score.h"
#include "worker/amplicon/amplicon_reads.h"
#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;

    /* input */
    amplicon_inputs_t reads;
    const char *against; /* references; NULL: de novo */
    fasta_opts_t references;

    /* what to compute */
    chimera_rule_t rule;
    double min_skew; /* de novo: how many times as abundant a parent is; settled */

    /* output, besides the result; NULL: not wanted */
    const char *chimeras, *nonchimeras, *borderline; /* FASTA */
    const char *lines;                               /* as vsearch --uchimeout */
} chimera_opts_t;

chimera_opts_t chimera_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t chimera_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "chimeras": blocks of reads into the alignments with possible parents; from
 * these follow all calls, at the end. */
extern const job_ops_t job_chimeras_ops;
