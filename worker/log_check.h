/*
 * log_check.h - has a job check what its log holds, before the job goes on from it.
 *
 * Checksums find what a disk has changed.  They do not find a record that was written
 * wrongly: by another program, or by a machine whose memory fails.
 */
#pragma once

#include "io/base/pool.h"
#include "io/store/reslog.h"

/* Called by several threads at a time. @return NULL, or why the record cannot be one of
 * the task, for messages: "has 3 bytes too many"; a static text */
typedef const char *(*log_check_fn)(void *ctx, int64_t task, int64_t version,
                                    const buf_t *record);

/*
 * Check the last record of every task that has one.
 *
 * @param pool  NULL: the caller alone
 * @return ST_OK, ST_ENOMEM, ST_EIO, or ST_EINPUT: the first record in the order of tasks
 *         that the job refuses is logged
 */
status_t log_check(const reslog_t *log, int64_t n_tasks, pool_t *pool, log_check_fn fn,
                   void *ctx) MUST_CHECK;
