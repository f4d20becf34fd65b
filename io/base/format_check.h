/*
 * format_check.h - tells from its first bytes what a file is that is not FASTA.
 */
#ifndef RIBOGRID_IO_BASE_FORMAT_CHECK_H
#define RIBOGRID_IO_BASE_FORMAT_CHECK_H

#include "io/base/status.h"

#include <stddef.h>

/*
 * Refuse other formats, with the command that makes FASTA of them.
 *
 * @param path  the file that the message names, or "-" for stdin
 * @param data  [len] its first bytes, after gzip; some 512 tell everything
 * @return ST_OK (FASTA, or nothing known) or ST_EINPUT
 */
status_t format_check(const char *path, const unsigned char *data, size_t len) MUST_CHECK;

/* @return the length of the UTF-8 byte order mark that the text starts with, or 0 */
size_t format_check_bom(const unsigned char *data, size_t len);

#endif
