/*
 * job_output.h - the output of a job and the log beside it: may they be
 * written, is there something to resume?
 */
#ifndef RIBOGRID_WORKER_JOB_OUTPUT_H
#define RIBOGRID_WORKER_JOB_OUTPUT_H

#include "io/base/child_reader.h"
#include "worker/log_check.h"

#include <stdbool.h>
#include <stdio.h>

/* What `reader` is asked for; a job's reader may know more, from 1. */
enum { JOB_OUTPUT_FINISHED };

typedef struct {
    const char *path; /* HDF5, unless is_text */
    const char *log_path;
    bool force, resume;
    child_reader_t *reader; /* with resume: reads the text of the job that made the
                             * output; NULL without */
    const char *log_lines; /* "name=value\n" ...: what only the log depends on; or NULL */
    bool is_text;          /* the output says by its label alone which job made it */
    const char *format;    /* what the output depends on besides the job; or NULL */
} job_output_t;

/*
 * Check, before anything large is read, that the output can be written.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO (no permission), or ST_EINPUT if a result or an
 *         unfinished run is there and neither force nor resume is set
 */
status_t job_output_check(const job_output_t *output) MUST_CHECK;

/*
 * Label a text output with the job, so that a finished one is recognised.  Where the file
 * system keeps no labels, it is not.
 *
 * @param text  the job, as of reslog_open
 * @param to    the output, still open
 * @return ST_OK or ST_ENOMEM
 */
status_t job_output_label(const job_output_t *output, const char *text,
                          FILE *to) MUST_CHECK;

/*
 * Open the log, and stop the reader.
 *
 * @param text     the job, as of reslog_open
 * @param log      out, also on errors: NULL, or the caller's to close
 * @return ST_OK, ST_EDONE (logged: the output is that of an equal job), ST_EINPUT
 *         (logged: it is that of another job), or an error of reslog_open
 */
status_t job_output_open(const job_output_t *output, const char *text, int64_t n_tasks,
                         reslog_t **log) MUST_CHECK;

/*
 * Check the records that a log has at the beginning of a run, on all processors: the job
 * has no pool yet.
 *
 * @return as log_check
 */
status_t job_output_check_log(const reslog_t *log, int64_t n_tasks, log_check_fn fn,
                              const void *ctx) MUST_CHECK;

#endif
