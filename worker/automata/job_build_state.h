/*
 * job_build_state.h - the state of the job "automata build", and the functions that its
 * files share.
 *
 * A task is a block of patterns.  Its record is a job_build_head_t and the arrays of the
 * block's dfa_set_t, without gaps: those of int64_t, of int32_t, and of bytes.
 */
#pragma once

#include "io/automata/automata_file.h"
#include "kernels/automata/dfa_group.h"
#include "worker/automata/build_opts.h"
#include "worker/job_output.h"

enum { JOB_BUILD_BATCH = 64 };

/* Counts of a dfa_set_t. */
typedef struct {
    int64_t n_groups, n_states, n_cells, n_live, n_outputs, n_listed;
} job_build_head_t;

typedef struct {
    job_t base;
    const build_opts_t *opts;

    /* on every rank */
    nfa_t nfa;

    /* rank 0 */
    int32_t *pattern_of; /* [n_positions] */
    int64_t n_skipped;   /* patterns that were left out */

    /* every rank, as a worker */
    dfa_builder_t builder;
} job_build_t;

/* ---- job_build_store.c ---- */

void job_build_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_build_describe(job_t *job);
status_t job_build_pack(const dfa_set_t *found, buf_t *out) MUST_CHECK;
const char *job_build_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record) MUST_CHECK;
status_t job_build_write_result(job_t *job, const job_report_t *report);
