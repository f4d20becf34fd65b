/*
 * job_run_info.h - how a job was run, for the file that it writes.
 */
#ifndef RIBOGRID_WORKER_JOB_RUN_INFO_H
#define RIBOGRID_WORKER_JOB_RUN_INFO_H

#include "io/result/run_info.h"
#include "worker/job.h"

/* Points into itself: not to be copied. */
typedef struct {
    run_info_t info;
    char started[RUN_TIME_BYTES], finished[RUN_TIME_BYTES];
    buf_t devices;
} job_run_info_t;

/*
 * Describe a run that ends now.
 *
 * @param input  borrowed, as are the texts of the job's options
 * @param out    freed by job_run_info_free, also after an error
 * @return ST_OK or ST_ENOMEM
 */
status_t job_run_info(const job_t *job, const char *input, const job_report_t *report,
                      job_run_info_t *out) MUST_CHECK;

void job_run_info_free(job_run_info_t *run);

#endif
