/*
 * build_opts.h - the job "automata build" and its options, as a front end fills them in.
 */
#pragma once

#include "kernels/automata/dfa_build.h"
#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;

    const char *input;            /* patterns */
    const char *dot;              /* drawing for Graphviz; NULL: none */
    bool skip_unsupported;        /* leave out patterns that cannot be used */
    dfa_limits_t limits;          /* of a group */
    subset_allocator_t allocator; /* of a GPU */
} build_opts_t;

build_opts_t build_opts_defaults(void);

/*
 * Check the options against each other, and fill in those that were not given.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK or ST_EUSAGE
 */
status_t build_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "automata build": blocks of patterns into groups and their automata. */
extern const job_ops_t job_build_ops;
