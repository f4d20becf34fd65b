/*
 * primers_opts.h - the job "primers" and its options, as a front end fills them in.
 *
 * A front end starts from primers_opts_defaults, writes what its user gives, and has
 * primers_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "io/prepare/prepare.h"
#include "worker/job.h"
#include "worker/job_opts.h"

enum { PRIMERS_FORMAT_BYTES = 96 };

typedef struct {
    job_opts_t common;

    /* input */
    const char *reads[3]; /* one file, or two of pairs of reads, up to a NULL */
    bool skip_bad;        /* drop reads with letters that are no nucleotides */
    primer_trim_t primers;
    const char *panel;    /* a file of pairs of primers, instead of primers.text */
    int64_t gaps;         /* bases that a read has more, or lacks, in each primer */
    int64_t three_prime;  /* bases at the 3' end of a primer that have to match */
    const char *taxonomy; /* of genes; NULL: no coverage */

    /* output */
    seq_filter_t filter; /* by the length of what is kept; max_ambig is not used */
    bool keep_primers;
    const char *output2, *untrimmed, *untrimmed2; /* NULL: not wanted */
    const char *hits, *counts, *table, *svg;      /* likewise */
    char format[PRIMERS_FORMAT_BYTES]; /* settled: what the output depends on besides the
                                        * job */
} primers_opts_t;

primers_opts_t primers_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t primers_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "primers": blocks of reads into the regions between primers in them. */
extern const job_ops_t job_primers_ops;
