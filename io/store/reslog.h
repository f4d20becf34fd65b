/*
 * reslog.h - the log of finished tasks, OUT.part: what a killed run leaves to go on from.
 *
 * A header (magic, byte order, the job's text, CRC), then one record per result: task,
 * version, length, CRC, payload.  A torn or damaged tail is dropped when the log is
 * opened again.  An exclusive lock keeps a second run out; the system releases it when
 * the process ends, however it ends.
 *
 * Jobs of free tasks store each task once, as version 0.  Gang jobs store checkpoints:
 * all tasks at version v, later all at a larger one.  A version is complete once every
 * task has a record of it and no newer one; the log always finds the last complete
 * version again, even when the process is killed while it writes the next.
 *
 * Superseded versions are dropped: the last one is copied to OUT.part.new, which gets the
 * log's name once it is on disk.
 *
 * The job's text is lines "name=value"; two runs are the same job if the texts are equal.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { RESLOG_LOCK_WAIT_S = 30 };

/* A log of checkpoints that is larger than this number of the last one, and than 1 MiB,
 * is replaced by a file that holds the last one alone. */
enum { RESLOG_KEPT_VERSIONS = 4 };

/* What the name of that file has more. */
#define RESLOG_COPY_SUFFIX ".new"

typedef struct reslog reslog_t;

/*
 * Open the log at path; create it if it does not exist.
 *
 * Waits up to RESLOG_LOCK_WAIT_S for another run's lock.  If that run finishes meanwhile
 * and removes the log, no new log is created and ST_EDONE is returned: the caller checks
 * for the result again.  An existing log is continued if its text equals `text`;
 * otherwise it is refused and the first difference is logged.
 *
 * @param text     the job, NUL-terminated lines "name=value"
 * @param n_tasks  tasks are 0 .. n_tasks-1
 * @param afresh   discard the content of an existing log, whatever job it belongs to;
 *                 a file that is no log is refused all the same
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EBUSY (locked), ST_EINPUT (another job's log,
 *         an older version's, no log, or one with a record that no run writes) or
 * ST_EDONE
 */
status_t reslog_open(const char *path, const char *text, int64_t n_tasks, bool afresh,
                     reslog_t **out) MUST_CHECK;

/* Create a log whose file must not exist: another run that begins at the same time gets
 * ST_EBUSY, at once. */
status_t reslog_create(const char *path, const char *text, int64_t n_tasks,
                       reslog_t **out) MUST_CHECK;

/* What becomes of a shard (reslog_shards.h), a log that exists: it is continued; it is
 * emptied, whatever job it belongs to; it is only read, while whoever has written it may
 * still hold its lock. */
typedef enum { RESLOG_SHARD_KEEP, RESLOG_SHARD_DISCARD, RESLOG_SHARD_READ } reslog_use_t;

/* Open a shard. @return as reslog_open */
status_t reslog_open_shard(const char *path, const char *text, int64_t n_tasks,
                           reslog_use_t use, reslog_t **out) MUST_CHECK;

/* @return the number of logs that the run had, with this one; 0: the log is new */
int reslog_n_shards(const reslog_t *log);

/* Note that number in the file, and wait until the disk has it. @return ST_OK or ST_EIO
 */
status_t reslog_set_shards(reslog_t *log, int n_shards) MUST_CHECK;

/* Other ranks are about to copy records behind this log's last one (reslog_copy.h): a
 * task may have two there, of which the first counts. @return ST_OK or ST_EIO */
status_t reslog_copies_begin(reslog_t *log) MUST_CHECK;

/* Note a copied record, whose payload is at an offset. */
void reslog_copies_note(reslog_t *log, int64_t task, int64_t payload_at);

/* All are there; they end at an offset. @return ST_OK or ST_EIO */
status_t reslog_copies_end(reslog_t *log, int64_t end) MUST_CHECK;

/* What a log holds, for people. */
typedef struct {
    char *text; /* the job; the caller frees it */
    int version;
    int64_t n_tasks;
    int64_t n_records; /* whole ones: of free tasks, those that are finished */
    int n_shards;      /* logs of its run, with this one */
    bool is_held;      /* a run has the log open */
} reslog_peek_t;

/* @return whether a file is a log, of any version; false if it cannot be read */
bool reslog_is_log(const char *path);

/*
 * Look at a log without changing or locking it.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO, or ST_EINPUT (a log of another version, damaged, or
 *         cut within its header)
 */
status_t reslog_peek(const char *path, reslog_peek_t *out) MUST_CHECK;

/* @return whether the log has a record of the task, and the version of its last one */
bool reslog_has(const reslog_t *log, int64_t task);
int64_t reslog_version(const reslog_t *log, int64_t task);

/* @return the number of tasks that have a record */
int64_t reslog_n_done(const reslog_t *log);

/*
 * Append a task's record.  Does nothing if its last record has this version already.  A
 * failed append leaves the log as it was.
 *
 * @param version  at least 0; 0 for jobs of free tasks
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t reslog_append(reslog_t *log, int64_t task, int64_t version, const void *data,
                       size_t len) MUST_CHECK;

/* Wait until the disk has what was appended. @return ST_OK or ST_EIO */
status_t reslog_sync(reslog_t *log) MUST_CHECK;

/*
 * Read the last record of a task that has one, and check its CRC.
 *
 * @param out  replaced by the payload
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t reslog_read(const reslog_t *log, int64_t task, buf_t *out) MUST_CHECK;

/* The open file and its name; the offsets of its first record, of its end, and of a
 * task's payload. */
int reslog_fd(const reslog_t *log);
const char *reslog_path(const reslog_t *log);
int64_t reslog_start(const reslog_t *log);
int64_t reslog_end(const reslog_t *log);
int64_t reslog_payload_at(const reslog_t *log, int64_t task);

/*
 * Let the system free the memory that caches a task's last record, if the disk has it;
 * else the file's removal would have to wait for that.  It can be read again.
 *
 * @param len  of its payload
 */
void reslog_drop(const reslog_t *log, int64_t task, size_t len);

/* @return the last complete version, or -1 */
int64_t reslog_complete(const reslog_t *log);

/*
 * Cut off everything that was appended after the last complete version; with no complete
 * version, all records.  A gang job calls this before it goes on from a checkpoint, so
 * that records of two runs never mix in one version.
 *
 * @return ST_OK or ST_EIO
 */
status_t reslog_rewind(reslog_t *log) MUST_CHECK;

/* Remove the file of an open log, unless another run's log has its name by now. */
void reslog_remove(const reslog_t *log);

/* Close the log and release its lock; the file stays. Takes NULL. */
void reslog_close(reslog_t *log);
