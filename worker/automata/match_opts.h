/*
 * match_opts.h - the job "automata match" and its options, as a front end fills them in.
 */
#pragma once

#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;

    const char *automata, *input;
    bool lines; /* each line is a record; else the input is one */
    int stream; /* file that the automata pass through, or -1 */
} match_opts_t;

match_opts_t match_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE
 */
status_t match_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "automata match": pieces of the input into matches that end in them. */
extern const job_ops_t job_match_ops;
