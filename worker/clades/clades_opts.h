/*
 * clades_opts.h - the job "clades" and its options, as a front end fills them in.
 */
#pragma once

#include "graph/clades/clades_plan.h"
#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;

    const char *input, *taxonomy;
    const char *cuts_text;
    int64_t n_bins;     /* of equal width */
    clades_cuts_t cuts; /* set by clades_opts_settle */
    int stream;         /* file that the plan passes through, or -1 */
} clades_opts_t;

clades_opts_t clades_opts_defaults(void);

/*
 * Check the options against each other, and parse them.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE
 */
status_t clades_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "clades": pairs and lineages into an integral histogram. */
extern const job_ops_t job_clades_ops;
