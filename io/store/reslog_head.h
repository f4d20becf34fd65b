/*
 * reslog_head.h - the header of a log: which version wrote it, and whose job it is.
 *
 * The first RESLOG_FRONT_BYTES of the file hold the magic, the number of the run's logs,
 * and zeros.  They are where HDF5 looks for its superblock: a finished log becomes an
 * HDF5 file when that is written over them (reslog_h5.h).  Such a file is still a log,
 * and continues as one.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { RESLOG_FRONT_BYTES = 512, RESLOG_VERSION = 4 };

/* An open log and what its header says. */
typedef struct {
    int fd;
    const char *path; /* for messages */
    int64_t n_tasks;
    bool is_shard;   /* not the run's first log: it may be removed alone */
    int n_shards;    /* logs of the run, with this one; out; 0: an empty or a new log */
    bool has_copies; /* of records of other logs, so that a task may have two; out */
    int64_t end;     /* out: the offset of the first record */
} reslog_head_t;

/*
 * Refuse a file that is no log, of whatever version and state: nobody else's file is
 * written to.  An empty file is a log that was cut.
 *
 * @return ST_OK, ST_EIO or ST_EINPUT
 */
status_t reslog_head_check(const reslog_head_t *h) MUST_CHECK;

/* @return whether a file starts as a log of any version does */
bool reslog_head_is_at(int fd);

/* Empty the file and write a header, of a run with h->n_shards logs. @return ST_OK,
 * ST_ENOMEM or ST_EIO */
status_t reslog_head_write(reslog_head_t *h, const char *text) MUST_CHECK;

/* Write h->n_shards and h->has_copies into a whole header. @return ST_OK or ST_EIO */
status_t reslog_head_put_shards(const reslog_head_t *h) MUST_CHECK;

/*
 * Read the header, and compare it with a job of n_tasks tasks.
 *
 * @param text   the job
 * @param whole  out: false if the log was cut within its header: it has no records, and a
 *               new header is to be written
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t reslog_head_read(reslog_head_t *h, const char *text, bool *whole) MUST_CHECK;

/*
 * Read the header of any job.
 *
 * @param h     n_tasks is set, too
 * @param text  out: the job; the caller frees it, also on failure
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t reslog_head_peek(reslog_head_t *h, char **text) MUST_CHECK;

/*
 * Look at the job of a log, without a message: whoever opens the log finds what is wrong.
 *
 * @return the job, or NULL: not a whole header of this version; the caller frees it
 */
char *reslog_head_text(const char *path) MUST_CHECK;

/* @return where the records of a log of this job begin */
int64_t reslog_head_bytes(const char *text);

/*
 * Log, in one line, how a job differs from the one that wrote `path`.
 *
 * @return ST_EINPUT, or ST_OK without a message if the texts are equal
 */
status_t reslog_head_compare(const char *path, const char *there, const char *ours);

/* Where a log's records are: every task's last one, and those of the
 * last complete version.
 *
 * A version is complete when it is the last version of every task.  The complete records
 * stay in the index while tasks get newer ones, so that a log killed in the middle of a
 * version still finds the version before. */

typedef struct {
    int64_t at; /* offset in the file; 0: no record */
    int64_t version;
} reslog_record_at_t;

typedef struct {
    int64_t n_tasks;
    int64_t n_done;           /* tasks that have a record */
    reslog_record_at_t *last; /* [n_tasks] */
    int64_t newest, n_newest; /* version noted last, and how many tasks end with it */
    int64_t complete;         /* the last complete version, or -1 */
    int64_t complete_end;     /* offset behind the record that completed it */
    int64_t *complete_at;     /* [n_tasks] its records; NULL: they are those in `last` */
} reslog_index_t;

/* @return ST_OK or ST_ENOMEM (logged) */
status_t reslog_index_begin(reslog_index_t *ix, int64_t n_tasks) MUST_CHECK;

/* Make space for what a record of the task may need. @return ST_OK or ST_ENOMEM (logged)
 */
status_t reslog_index_reserve(reslog_index_t *ix, int64_t task,
                              int64_t version) MUST_CHECK;

/* Note a record at offset `at` that ends at `end`, after reslog_index_reserve. */
void reslog_index_note(reslog_index_t *ix, int64_t task, int64_t version, int64_t at,
                       int64_t end);

/*
 * Forget all records that do not belong to the last complete version.
 *
 * @param start  offset of the file's first record
 * @return the offset behind the last record that is left
 */
int64_t reslog_index_rewind(reslog_index_t *ix, int64_t start);

/* The last version is complete, and its records, in `last`, have moved to a file without
 * others.  @param end  offset behind the last of them */
void reslog_index_moved(reslog_index_t *ix, int64_t end);

void reslog_index_free(reslog_index_t *ix);
