/*
 * job_match_state.h - the state of the job "automata match", and the functions that its
 * files share.
 *
 * A task is a piece of the input, or the lines that begin in it.  Its record is a
 * job_match_head_t, the hits (scan_hit_t, whose ends count from the begin of the input)
 * as if nothing had begun before the piece, and the positions (int32_t) that are live
 * behind it.
 */
#pragma once

#include "io/automata/automata_file.h"
#include "kernels/automata/scan_backend.h"
#include "worker/automata/match_opts.h"
#include "worker/job_output.h"

enum { JOB_MATCH_PIECE = 1 << 18, JOB_MATCH_BATCH = 256 };

typedef struct {
    int64_t n_hits, n_live;
} job_match_head_t;

typedef struct {
    job_t base;
    const match_opts_t *opts;

    /* on every rank */
    automata_t automata;
    int64_t n_bytes;
    uint8_t *bytes; /* [n_bytes] the input */

    /* every rank, as a worker */
    scan_context_t context;
    const scan_backend_t *backend;
    void *scan;
} job_match_t;

/* @return the bytes of a task, or the lines that begin in these */
scan_piece_t job_match_piece(const job_match_t *j, int64_t task);

/* ---- job_match_input.c ---- */

enum { MATCH_CHILD_AUTOMATA = JOB_CHILD_FIRST }; /* what the child is asked for */

/* child_reader_fn_t; opts is a match_opts_t. */
status_t match_child_answer(const void *opts, int question, buf_t *out);

/* [all] Read on rank 0, and pass to all ranks what is searched. */
status_t job_match_read(job_match_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_match_store.c ---- */

void job_match_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_match_describe(job_t *job);
const char *job_match_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record) MUST_CHECK;
status_t job_match_write_result(job_t *job, const job_report_t *report);
