/*
 * format_check.h - recognises other file formats where FASTA or FASTQ is expected.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Refuse known formats other than FASTA and FASTQ; the message has the command that
 * converts them.
 *
 * @param path  the file to name in the message, or "-" for stdin
 * @param data  [len] the first bytes of the file once unpacked; 512 bytes are enough
 * @return ST_OK (FASTA, FASTQ, or an unknown text format) or ST_EINPUT (logged)
 */
status_t format_check(const char *path, const unsigned char *data, size_t len) MUST_CHECK;

/* @return whether a text is FASTQ: its first line begins with '@', and is not SAM's */
bool format_check_is_fastq(const unsigned char *data, size_t len);

/* @return the length of a UTF-8 byte order mark at the start of the text, or 0 */
size_t format_check_bom(const unsigned char *data, size_t len);
