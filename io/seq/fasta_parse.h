/*
 * fasta_parse.h - an incremental FASTA parser.
 *
 * Feed the text piece by piece, then finish.  Besides the records that were read, only
 * the current one is in memory.  fasta.h describes what is accepted and what is
 * refused.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/pool.h"
#include "io/seq/fasta.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fasta_parse fasta_parse_t;

/* The records that were read.  Zeroed: none. */
typedef struct {
    seqset_builder_t set;
    buf_t headers; /* uint64_t: a digest of the whole header of each */
} fasta_records_t;

/*
 * @param input  the name of the input in messages; borrowed until destroyed
 * @param opts   borrowed until destroyed
 * @param alphabet  of the letters: that of opts, or what is guessed instead of AUTO
 * @param to     records are added to it; borrowed until destroyed
 * @return ST_OK or ST_ENOMEM
 */
status_t fasta_parse_create(const char *input, const fasta_opts_t *opts,
                            alphabet_t alphabet, fasta_records_t *to,
                            fasta_parse_t **out) MUST_CHECK;

/*
 * Parse the next piece of text.
 *
 * @param text  [len] bytes; lines and records may be split anywhere
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_feed(fasta_parse_t *p, const unsigned char *text,
                          size_t len) MUST_CHECK;

/*
 * Finish: check the last record, and warn of dropped records.
 *
 * @param n_bad  the number of dropped records is added
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_finish(fasta_parse_t *p, int64_t *n_bad) MUST_CHECK;

/* Takes NULL. */
void fasta_parse_destroy(fasta_parse_t *p);

/* fasta_pieces.c: a large block of text, parsed by several threads. */

typedef struct fasta_pieces fasta_pieces_t;

/* As the functions of fasta_parse, with the same records, messages and results.
 * @param pool  borrowed until destroyed; NULL: the caller alone parses */
status_t fasta_pieces_create(const char *input, const fasta_opts_t *opts,
                             alphabet_t alphabet, fasta_records_t *to, pool_t *pool,
                             fasta_pieces_t **out) MUST_CHECK;
status_t fasta_pieces_feed(fasta_pieces_t *p, const unsigned char *text,
                           size_t len) MUST_CHECK;
status_t fasta_pieces_finish(fasta_pieces_t *p, int64_t *n_bad) MUST_CHECK;
void fasta_pieces_destroy(fasta_pieces_t *p);

/* What pieces need of a parser: */

/* Parse whole records, and nothing else, without messages; the records before are
 * dropped.
 * @return whether there was nothing to say of them; if not, feed the text to a parser
 * that says it */
bool fasta_parse_quietly(fasta_parse_t *p, const unsigned char *text, size_t len);

/* Add the current record: the next text is a header. @return as fasta_parse_feed */
status_t fasta_parse_end_record(fasta_parse_t *p) MUST_CHECK;

/* Count the records and lines that another parser has read quietly. */
void fasta_parse_pass(fasta_parse_t *p, const fasta_parse_t *quiet);

/* fasta_header.c: the header of a FASTA record, piece by piece, and the name in it. */

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
