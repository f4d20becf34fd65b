/*
 * denoise_opts.h - the job "denoise" and its options, as a front end fills them in.
 *
 * A front end starts from denoise_opts_defaults, writes what its user gives, and has
 * denoise_opts_settle check the combination and fill in the rest.
 */
#pragma once

#include "worker/amplicon/amplicon_reads.h"
#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;
    amplicon_inputs_t reads;
    double alpha;
    int64_t min_size; /* reads of lower abundance are left out */
    const char *asvs; /* as FASTA; NULL: not wanted */
} denoise_opts_t;

denoise_opts_t denoise_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do, by the options' names on
 *             the command line
 * @return ST_OK or ST_EUSAGE
 */
status_t denoise_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "denoise": tiles of pairs of reads into those of which one absorbs the other;
 * from these follow all ASVs, at the end. */
extern const job_ops_t job_denoise_ops;
