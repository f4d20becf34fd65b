/*
 * reads.h - the records of a FASTA or FASTQ file as they are: whole headers, letters in
 * their case, and qualities.
 *
 * For commands that write reads again.  The text of the file stays in memory, and records
 * point into it.  Accepted are CRLF or LF, a byte order mark, blank lines between
 * records, sequences of FASTA of several lines, records without bases, and a missing
 * final newline; plain or compressed files, and stdin.
 */
#pragma once

#include "io/base/buf.h"
#include "io/seq/base_planes.h"

#include <stdbool.h>
#include <stdint.h>

/* A record: offsets in the text. */
typedef struct {
    int64_t header; /* without '>' or '@' */
    int64_t bases, qualities;
    int32_t header_len, len; /* bytes; bases, and of FASTQ qualities */
} read_t;

/* Zeroed: none. */
typedef struct {
    char *name; /* of the file, for messages */
    bool are_fastq;
    int64_t n;
    read_t *at; /* [n] */
    buf_t text;
} reads_t;

static inline const char *reads_text(const reads_t *r, int64_t offset)
{
    return (const char *)r->text.data + offset;
}

/* @return the bytes of the name that a header begins with: up to a blank or tab */
int32_t reads_name_len(const reads_t *r, int64_t i);

/*
 * Read a file.
 *
 * @param path  a file, or "-" for stdin
 * @param out   release with reads_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: no FASTA or FASTQ, with file and
 *         line)
 */
status_t reads_read(const char *path, reads_t *out) MUST_CHECK;

/* Check that two files have the mates of the same pairs: as many records, with the same
 * names, which may end with /1 and /2. @return ST_OK or ST_EINPUT (logged, with both
 * files and lines) */
status_t reads_check_mates(const reads_t *first, const reads_t *second) MUST_CHECK;

/* Drop records with a letter that is no nucleotide, and log how many.
 * @param second  mates, which are dropped with theirs; NULL: none */
void reads_drop_bad(reads_t *first, reads_t *second);

/*
 * Make planes of reads; of two files the reads alternate.
 *
 * @param second  NULL: one file
 * @return ST_OK, ST_ENOMEM, or ST_EINPUT (logged: a letter is no nucleotide)
 */
status_t reads_planes(const reads_t *first, const reads_t *second,
                      base_planes_t *out) MUST_CHECK;

/* Takes zeroed ones, too. */
void reads_free(reads_t *r);
