/*
 * fasta_header.h - the header of a FASTA record, piece by piece, and the name in it.
 */
#ifndef RIBOGRID_IO_SEQ_FASTA_HEADER_H
#define RIBOGRID_IO_SEQ_FASTA_HEADER_H

#include "io/base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FASTA_HEADER_NAME_SHOWN = 80 };

/* Zeroed: no header was read. */
typedef struct {
    buf_t text;        /* the header without blanks at its ends */
    bool is_cut;       /* it was longer than any name may be */
    buf_t name;        /* clean; empty: there is none */
    bool is_too_long;  /* the name: only its start is in `name` */
    int64_t n_escaped; /* names that had to be escaped; of the first one: */
    int64_t escaped_record, escaped_line;
    char escaped[FASTA_HEADER_NAME_SHOWN + 1];
} fasta_header_t;

/* Begin a header. */
void fasta_header_begin(fasta_header_t *h);

/* Add bytes of the header, without '>' and line ends. @return ST_OK or ST_ENOMEM */
status_t fasta_header_add(fasta_header_t *h, const unsigned char *text,
                          size_t len) MUST_CHECK;

/*
 * Finish a header: make the name.
 *
 * @param full          the name is the whole header, else its first word
 * @param record, line  numbers for fasta_header_log
 * @return ST_OK or ST_ENOMEM
 */
status_t fasta_header_end(fasta_header_t *h, bool full, int64_t record,
                          int64_t line) MUST_CHECK;

/* @return a digest of the whole header */
uint64_t fasta_header_digest(const fasta_header_t *h);

/* Warn, once for a file, of names that were escaped. */
void fasta_header_log(const fasta_header_t *h, const char *input);

void fasta_header_free(fasta_header_t *h);

#endif
