/*
 * job_output.h - the files that a job writes: whether they may be written, whether the
 * output is that of the same job already, and what it holds of the run.
 */
#pragma once

#include "io/file/whole_file.h"
#include "io/result/run_info.h"
#include "worker/job.h"

#include <stdio.h>

/* What the child of a run is asked for. */
typedef struct {
    const job_ops_t *ops;
    const job_opts_t *opts;
    child_reader_fn_t more; /* the job's own questions; NULL: none */
} job_child_t;

/* Answer a question of job_output_compare, or of the job. @param child  job_child_t * */
status_t job_child_answer(const void *child, int question, buf_t *out) MUST_CHECK;

/*
 * Check, before anything large is read, that the outputs can be written.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO (no permission), or ST_EINPUT if a result or an
 *         unfinished run is there and neither --force nor --resume is given, or only some
 *         of the outputs of a finished run
 */
status_t job_output_check(const job_t *job) MUST_CHECK;

/*
 * Refuse a result that is larger than the disk, where that is known: its free bytes, and
 * those of an unfinished run, which becomes the output or is removed.
 *
 * @param bytes   of the result
 * @param remedy  what to give instead: "--id or -o on a larger disk"
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t job_output_check_disk(const job_t *job, double bytes,
                               const char *remedy) MUST_CHECK;

/* Open an output that is text. @param path  NULL: it is not wanted, and *out is NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t job_output_open(const job_t *job, const char *path,
                         whole_file_t **out) MUST_CHECK;

/*
 * Label a text output with the job, so that a finished one is recognised.  Where the file
 * system keeps no labels, it is not.
 *
 * @param job  with its text
 * @param to   the output, still open
 * @return ST_OK or ST_ENOMEM
 */
status_t job_output_label(const job_t *job, FILE *to) MUST_CHECK;

/*
 * A finished file of the same job needs no run; that of another job is not overwritten.
 *
 * @param job  with its text, whose output exists
 * @return ST_EDONE (logged), ST_EINPUT (logged: it is that of another job), or an error
 *         of the reader
 */
status_t job_output_compare(const job_t *job) MUST_CHECK;

/* How a job was run, for the file that it writes.  Points into itself: not to be
 * copied. */
typedef struct {
    run_info_t info;
    char started[RUN_TIME_BYTES], finished[RUN_TIME_BYTES];
    buf_t devices;
} job_output_run_t;

/*
 * Describe a run that ends now.
 *
 * @param input  borrowed, as are the texts of the job's options
 * @param out    freed by job_output_run_free, also after an error
 * @return ST_OK or ST_ENOMEM
 */
status_t job_output_run(const job_t *job, const char *input, const job_report_t *report,
                        job_output_run_t *out) MUST_CHECK;

void job_output_run_free(job_output_run_t *run);
