/*
 * whole_file.h - output files that appear complete or not at all, and that replace
 * nothing but a regular file.
 *
 * The file has no name until it is written and synced to disk (tmp_file.h). What it
 * replaces keeps its mode.  A symbolic link is followed: its target is replaced, and the
 * link stays; a link to a missing file is refused.  Text may also go to stdout
 * ("-", or no path), to a pipe or to a character device, which are written directly.
 * HDF5 cannot be written there.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct whole_file whole_file_t;

typedef enum {
    WHOLE_FILE_TEXT, /* written through a stream */
    WHOLE_FILE_HDF5  /* written by its descriptor: whole_file_fd */
} whole_file_kind_t;

/*
 * Check, before the work starts, that an output can be written.
 *
 * Refuses a directory, what is no file of the kind, a folder without write permission
 * and, unless forced, an existing file.
 *
 * @param path  NULL: stdout, text only
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t whole_file_check(const char *path, whole_file_kind_t kind,
                          bool force) MUST_CHECK;

/* Check that files can be created beside a file. @return ST_OK, ST_ENOMEM or ST_EIO */
status_t whole_file_check_folder(const char *path) MUST_CHECK;

/*
 * Open a file for writing, after the same checks.
 *
 * @param path   NULL: stdout, text only
 * @param force  replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t whole_file_open(const char *path, whole_file_kind_t kind, bool force,
                         whole_file_t **out) MUST_CHECK;

/*
 * Give an output's name to a file that is complete and synced, after the same checks.
 *
 * It gets the mode of what it replaces.  Where it cannot be renamed, because the output
 * is a link to another file system, it is copied, and removed after that.
 *
 * @param from, fd  the file, open for reading
 * @param force     replace an existing file
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT; the file is unchanged unless ST_OK
 */
status_t whole_file_adopt(const char *path, bool force, const char *from,
                          int fd) MUST_CHECK;

/* Sync the folder of a file that was renamed. */
void whole_file_sync_folder(const char *path);

/* @return whether an open file still has this name, itself and not by a link */
bool whole_file_has_name(int fd, const char *path);

/* @return the stream to write text to; whole_file_close checks it for errors */
FILE *whole_file_stream(whole_file_t *f);

/* @return the file, open until whole_file_close */
int whole_file_fd(const whole_file_t *f);

/* @return the path that was given, for messages; NULL: stdout */
const char *whole_file_path(const whole_file_t *f);

/*
 * Sync the file to disk, but do not give it its name yet.
 *
 * Only callers that write several files together need this and whole_file_publish;
 * whole_file_close includes both.
 *
 * @return ST_OK or ST_EIO
 */
status_t whole_file_finish(whole_file_t *f) MUST_CHECK;

/* Finish the file and give it its name. @return ST_OK, ST_EIO or ST_EINPUT (without
 * force: a file has got that name meanwhile) */
status_t whole_file_publish(whole_file_t *f) MUST_CHECK;

/*
 * Close the file.  If st is ST_OK and every write succeeded, the file has its name now;
 * otherwise it is removed, even if it was published.
 *
 * @param f  may be NULL
 * @return st, or the error of whole_file_publish (logged)
 */
status_t whole_file_close(whole_file_t *f, status_t st) MUST_CHECK;
