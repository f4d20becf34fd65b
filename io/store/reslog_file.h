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

/*
 * Open the file, create it if it does not exist, and lock it.
 *
 * @param is_new  the file must not exist: else ST_EBUSY, at once
 * @param fd  out, also on failure: the caller closes it unless it is -1
 * @return ST_OK, ST_EIO, ST_EINPUT (as reslog_file_check), ST_EBUSY, or ST_EDONE: who
 * held the lock has removed the file meanwhile
 */
status_t reslog_file_open(const char *path, bool is_new, int *fd) MUST_CHECK;

/* Write len bytes. @return whether it succeeded, else errno */
bool reslog_file_put(int fd, const void *data, size_t len, int64_t at);

/* Read len bytes. @return whether it succeeded, else errno: ENODATA if the file ends */
bool reslog_file_get(int fd, void *data, size_t len, int64_t at);

/* After a failed get: the end of the file is no error, a failing disk is one.
 * @return ST_OK or ST_EIO (logged) */
status_t reslog_file_end(const char *path) MUST_CHECK;

/* Log errno. @return ST_EIO */
status_t reslog_file_fail(const char *path, const char *verb);
