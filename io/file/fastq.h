/*
 * fastq.h - checks FASTQ line by line, and translates it to FASTA for readers of that.
 *
 * A record has four lines: '@' and the header, the sequence, '+' (alone or with the same
 * header), and as many qualities as the sequence has bytes.  Accepted are CRLF or LF,
 * blank lines between records, sequences of no bases, and a missing final newline.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>

typedef struct fastq fastq_t;

typedef enum {
    FASTQ_BLANK,
    FASTQ_HEADER,
    FASTQ_SEQUENCE,
    FASTQ_PLUS,
    FASTQ_QUALITIES
} fastq_line_t;

/* @param input  its name in messages; borrowed until destroyed. @return ST_OK, ST_ENOMEM
 */
status_t fastq_create(const char *input, fastq_t **out) MUST_CHECK;

/*
 * Check the next line.
 *
 * @param line  [len] without its LF
 * @param len   also out: without a CR at its end
 * @param what  out: the line is
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (a malformed record; logged)
 */
status_t fastq_line(fastq_t *f, const char *line, size_t *len,
                    fastq_line_t *what) MUST_CHECK;

/*
 * Translate the next piece of text: each line becomes one line, so that numbers of lines
 * stay true: '>' and the header, the sequence, and two blank lines.
 *
 * @param text  [len] bytes; lines and records may be split anywhere
 * @param out   FASTA text is appended
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (a malformed record; logged)
 */
status_t fastq_feed(fastq_t *f, const unsigned char *text, size_t len,
                    buf_t *out) MUST_CHECK;

/* Translate a last line without a newline. @param out  NULL after fastq_line alone
 * @return as fastq_feed; ST_EINPUT also if the text ends within a record */
status_t fastq_finish(fastq_t *f, buf_t *out) MUST_CHECK;

/* Takes NULL. */
void fastq_destroy(fastq_t *f);
