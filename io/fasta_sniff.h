/*
 * fasta_sniff.h - tells from its first bytes what a file is that is not FASTA.
 */
#ifndef RIBOGRID_IO_FASTA_SNIFF_H
#define RIBOGRID_IO_FASTA_SNIFF_H

#include "io/status.h"

#include <stddef.h>

/*
 * Refuse other formats, with the command that makes FASTA of them.
 *
 * @param path  the file that the message names, or "-" for stdin
 * @param data  [len] its first bytes, after gzip; some 512 tell everything
 * @return ST_OK (FASTA, or nothing known) or ST_EINPUT
 */
status_t fasta_sniff(const char *path, const unsigned char *data, size_t len) MUST_CHECK;

/* @return the length of the UTF-8 byte order mark that the text starts with, or 0 */
size_t fasta_sniff_mark(const unsigned char *data, size_t len);

#endif
