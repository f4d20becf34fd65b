/*
 * job_shards.h - the shards of a job's log, for the files job*.c.
 */
#pragma once

#include "io/store/reslog.h"
#include "worker/job.h"

/* [all] Set plan.n_shards, after begin. @return ST_OK or ST_EUSAGE (logged): --log-shards
 * does not go with the job or its ranks */
status_t job_shards_settle(job_t *job, const exchange_t *x) MUST_CHECK;

/* [log] Take the records of all shards over into the log (reslog_shards_take).
 * @return also ST_EIO: at the end of the run some are missing */
status_t job_shards_take(job_t *job, reslog_use_t use) MUST_CHECK;

/* [all] Remove a log and its shards if there is nothing to resume. */
void job_shards_end(job_t *job);
