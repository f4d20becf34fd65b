/*
 * fasta.h - reads nucleotide FASTA: plain or gzip, from a file or stdin.
 *
 * Taken as they are: CRLF or LF, a byte order mark, blank lines, wrapped or one-line
 * sequences, blanks within them, either case, U for T, no final newline.  A name is the
 * header up to its first blank or tab, blanks right after '>' aside.
 */
#ifndef RIBOGRID_IO_SEQ_FASTA_H
#define RIBOGRID_IO_SEQ_FASTA_H

#include "io/seq/seqset.h"

#include <stdbool.h>

typedef struct {
    bool skip_bad; /* drop records that cannot be used, and count them */
    bool degap;    /* take '.' and '-' out of the sequences */
} fasta_opts_t;

typedef struct {
    int64_t n_bad;       /* records dropped under skip_bad */
    int64_t n_same_name; /* records whose name another record has had before */
} fasta_report_t;

/*
 * Read every record of a file.
 *
 * A letter that is none, a record without letters or name, text before the first header,
 * and input that is no FASTA are errors, said in one line with file, line, record and
 * remedy.  Under skip_bad the first three drop the record (or the text) instead.  Names
 * that repeat are said once, as a warning; dropped records too.
 *
 * @param path    a file, or "-" for stdin
 * @param report  filled on success; may be NULL
 * @param out     on success the set, the caller's, with 0 or more sequences
 * @return ST_OK, ST_ENOMEM, ST_EIO (cannot be read) or ST_EINPUT (is not what it should
 * be)
 */
status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out) MUST_CHECK;

#endif
