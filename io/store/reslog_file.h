/*
 * reslog_file.h - the file of a log: opened without harm to other files, locked, read and
 * written at offsets.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Refuse a path that exists and is no regular file; links are not followed.
 *
 * @return ST_OK or ST_EINPUT
 */
status_t reslog_file_check(const char *path) MUST_CHECK;

/* How a file is opened: created if it does not exist; it must not exist, else ST_EBUSY,
 * at once; another rank has created it; another rank has written it, and it is only read,
 * without a lock. */
typedef enum {
    RESLOG_FILE_ANY,
    RESLOG_FILE_NEW,
    RESLOG_FILE_THERE,
    RESLOG_FILE_READ
} reslog_file_how_t;

/*
 * Open the file, and lock it.
 *
 * @param fd  out, also on failure: the caller closes it unless it is -1
 * @return ST_OK, ST_EIO, ST_EINPUT (as reslog_file_check), ST_EBUSY, or ST_EDONE: who
 * held the lock has removed the file meanwhile
 */
status_t reslog_file_open(const char *path, reslog_file_how_t how, int *fd) MUST_CHECK;

/* Write len bytes. @return whether it succeeded, else errno */
bool reslog_file_put(int fd, const void *data, size_t len, int64_t at);

/* Read len bytes. @return whether it succeeded, else errno: ENODATA if the file ends */
bool reslog_file_get(int fd, void *data, size_t len, int64_t at);

/* After a failed get: the end of the file is no error, a failing disk is one.
 * @return ST_OK or ST_EIO (logged) */
status_t reslog_file_end(const char *path) MUST_CHECK;

/* Log errno. @return ST_EIO */
status_t reslog_file_fail(const char *path, const char *verb);
