/*
 * job_clades_state.h - the state of the job "clades", and the functions that its files
 * share.
 *
 * A task is a rectangle of the matrix of pairs on or above the diagonal: tiles of one row
 * of tiles, or rows of a file of hits.  Its record is that of clades_count.h.
 */
#pragma once

#include "graph/clades/clades_count.h"
#include "worker/clades/clades_opts.h"
#include "worker/job_output.h"

/* Pairs of a task, but at least one tile or one row. */
enum { JOB_CLADES_PAIRS = 1 << 20 };

/* What rank 0 finds out. */
typedef struct {
    clades_t plan;
    int64_t n_rows;  /* of a task */
    int64_t n_cols;  /* of a task, of which each begins at a multiple of n_rows; 0: all */
    int64_t is_list; /* of hits */
    int64_t is_mbl;  /* pairs_tiles_check_t */
    int32_t *lengths; /* [plan.n] */
} clades_input_t;

typedef struct {
    job_t base;
    const clades_opts_t *opts;

    /* on every rank */
    clades_input_t in;
    clades_map_t map;
    pairs_region_t *tasks; /* [n_tasks] */
    pairs_file_t *file;    /* where there is no reader */
} job_clades_t;

/* ---- job_clades_input.c ---- */

enum { CLADES_CHILD_PLAN = JOB_CHILD_FIRST, CLADES_CHILD_PAIRS };

/* child_reader_fn_t; opts is a clades_opts_t. */
status_t clades_child_answer(const void *opts, int question, buf_t *out);

/* [all] Read the plan on rank 0, and pass it to all ranks; list the tasks. */
status_t job_clades_read(job_clades_t *j, exchange_t *x) MUST_CHECK;

/* [worker] Read a task's pairs: tiles of pairs_tiles_read_numbers; of hits
 * clades_pair_t. */
status_t job_clades_read_pairs(job_clades_t *j, int64_t task, buf_t *out) MUST_CHECK;

/* [worker, any thread] Append the record of a task. @param pairs  as they are read
 * @return also ST_EINPUT (logged) */
status_t job_clades_count(const job_clades_t *j, int64_t task, const buf_t *pairs,
                          buf_t *out) MUST_CHECK;

/* ---- job_clades_store.c ---- */

void job_clades_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_clades_describe(job_t *job);
const char *job_clades_check_record(job_t *job, int64_t task, int64_t version,
                                    const buf_t *record) MUST_CHECK;
status_t job_clades_write_result(job_t *job, const job_report_t *report);
