/*
 * cache_file.h - small files that only save time: what an earlier run has measured.
 *
 * They are in $RIBOGRID_CACHE, $XDG_CACHE_HOME/ribogrid or ~/.cache/ribogrid.  No result
 * depends on them: a file that cannot be read or written is mentioned only under -v. What
 * has the name of one but is no regular file, such as a pipe, is left alone, with one
 * warning.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that are read at most. */
enum { CACHE_FILE_MAX_BYTES = 512 << 10 };

/* @return the path, which the caller frees; NULL: no directory is known */
char *cache_file_path(const char *name);

/* Make the folder of these files. @return its path, as above */
char *cache_file_folder(void);

/* @return a digest of a version and of this program's size and modification time */
uint64_t cache_file_build(const char *version);

/*
 * Read the file into an empty buffer; a missing file is an empty text.
 *
 * @param is_ours  out: false if something else than a regular file has this name, such as
 *                 a pipe, which would never answer, or a link
 * @return ST_OK or ST_ENOMEM
 */
status_t cache_file_read(const char *path, buf_t *out, bool *is_ours) MUST_CHECK;

/* Replace the file atomically, unless it is not ours; create the folders of its path. */
void cache_file_replace(char *path, const buf_t *text, bool is_ours);
