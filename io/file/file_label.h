/*
 * file_label.h - a text that a file carries beside its contents, as an extended
 * attribute: which job has written a table whose format has no place for that.
 *
 * Not every file system keeps extended attributes, and copies of a file may lack them.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>

/* Label an open file. @return whether it could be done */
bool file_label_write(int fd, const char *text);

/*
 * Read the label of a file.
 *
 * @param out  empty; NUL-terminated, or left empty if the file has no label
 * @return ST_OK or ST_ENOMEM
 */
status_t file_label_read(const char *path, buf_t *out) MUST_CHECK;
