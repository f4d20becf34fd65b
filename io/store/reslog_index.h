/*
 * reslog_index.h - where a log's records are: every task's last one, and those of the
 * last complete version.
 *
 * A version is complete when it is the last version of every task.  The complete records
 * stay in the index while tasks get newer ones, so that a log killed in the middle of a
 * version still finds the version before.
 */
#ifndef RIBOGRID_IO_STORE_RESLOG_INDEX_H
#define RIBOGRID_IO_STORE_RESLOG_INDEX_H

#include "io/base/status.h"

#include <stdint.h>

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

#endif
