/*
 * ihist_opts.h - the job "ihist" and its options, as a front end fills them in.
 */
#pragma once

#include "worker/cnn/cnn_opts.h"
#include "worker/job.h"
#include "worker/job_opts.h"

enum { IHIST_FILES_MAX = 4096 };

typedef struct {
    job_opts_t common;

    int64_t n_bins, side;
    image_source_t first;                   /* the first file: a child may read it */
    const char *files[IHIST_FILES_MAX + 1]; /* NULL at the end */
} ihist_opts_t;

ihist_opts_t ihist_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE
 */
status_t ihist_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "ihist": images into integral histograms. */
extern const job_ops_t job_ihist_ops;
