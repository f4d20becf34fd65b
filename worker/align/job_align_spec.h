/*
 * job_align_spec.h - the options of the job "align" as the specifications of its aligner
 * and its filters.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_SPEC_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_SPEC_H

#include "worker/align/job_align_state.h"

/* What messages call the kinds of ends. */
extern const char *const job_align_ends_words[ALIGN_N_ENDS];

/*
 * Settle everything that follows from the options and the alphabet, and read the matrix.
 *
 * @return ST_OK, or ST_EIO or ST_EINPUT (the matrix)
 */
status_t job_align_spec_settle(const align_opts_t *opts, alphabet_t alphabet,
                               job_align_spec_t *out) MUST_CHECK;

#endif
