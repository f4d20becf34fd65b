/*
 * reslog.h - the log of finished tasks, OUT.part: what a kill cannot take.
 *
 * A header (magic, byte order, the job's text, CRC) and then a record a finished task
 * (task, length, CRC, payload).  A task is finished when its record is written; a torn or
 * damaged tail is dropped when the log is opened again.  An exclusive lock keeps a second
 * run off; it goes with the process that holds it.
 *
 * The job's text is lines "name=value"; two runs are the same job if the texts are equal.
 */
#ifndef RIBOGRID_IO_STORE_RESLOG_H
#define RIBOGRID_IO_STORE_RESLOG_H

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { RESLOG_LOCK_WAIT_S = 30 };

typedef struct reslog reslog_t;

/*
 * Open the log at path, made if it is not there.
 *
 * Waits up to RESLOG_LOCK_WAIT_S for another run's lock.  If that run removes the log
 * then, which it does when its result is there, none is made: the caller looks again.  An
 * existing log is continued if its text equals `text`, refused otherwise, with the first
 * difference named; under `afresh` its content is thrown away instead.
 *
 * @param text     the job, NUL-terminated lines "name=value"
 * @param n_tasks  tasks are 0 .. n_tasks-1
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EBUSY (lock held), ST_EINPUT (another job's log)
 * or ST_EDONE (gone while this run waited)
 */
status_t reslog_open(const char *path, const char *text, int64_t n_tasks, bool afresh,
                     reslog_t **out) MUST_CHECK;

/*
 * Say, in one error line, how a job differs from the one that left `path`.
 *
 * @return ST_EINPUT, or ST_OK (and silence) if the texts are equal
 */
status_t reslog_compare(const char *path, const char *there, const char *ours);

/* @return whether a task's record stands in the log */
bool reslog_has(const reslog_t *log, int64_t task);

/* @return the number of finished tasks */
int64_t reslog_n_done(const reslog_t *log);

/* Append a task's record; one that is there already is left as it is. A failed append
 * leaves the log as it was. @return ST_OK or ST_EIO (logged) */
status_t reslog_append(reslog_t *log, int64_t task, const void *data,
                       size_t len) MUST_CHECK;

/* Have the disk keep what was appended. @return ST_OK or ST_EIO (logged) */
status_t reslog_sync(reslog_t *log) MUST_CHECK;

/*
 * Read a finished task's payload and check its CRC.
 *
 * @param out  emptied, then filled
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t reslog_read(const reslog_t *log, int64_t task, buf_t *out) MUST_CHECK;

/* Remove the file of an open log, unless another run's log has its name by now. */
void reslog_remove(const reslog_t *log);

/* Close the log and let the lock go; the file stays. Takes NULL. */
void reslog_close(reslog_t *log);

#endif
