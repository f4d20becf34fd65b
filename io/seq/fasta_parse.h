/*
 * fasta_parse.h - an incremental FASTA parser.
 *
 * Feed the text piece by piece, then finish.  Besides the set that is being built, only
 * the current record is in memory.  fasta.h describes what is accepted and what is
 * refused.
 */
#ifndef RIBOGRID_IO_SEQ_FASTA_PARSE_H
#define RIBOGRID_IO_SEQ_FASTA_PARSE_H

#include "io/seq/fasta.h"

typedef struct fasta_parse fasta_parse_t;

/*
 * @param input  the name of the input in messages; borrowed until destroyed
 * @param opts   borrowed until destroyed
 * @param alphabet  of the letters: that of opts, or what is guessed instead of AUTO
 * @return ST_OK or ST_ENOMEM
 */
status_t fasta_parse_create(const char *input, const fasta_opts_t *opts,
                            alphabet_t alphabet, fasta_parse_t **out) MUST_CHECK;

/*
 * Parse the next piece of text.
 *
 * @param text  [len] bytes; lines and records may be split anywhere
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_feed(fasta_parse_t *p, const unsigned char *text,
                          size_t len) MUST_CHECK;

/*
 * Finish: check the last record, warn of dropped records, and build the set.
 *
 * @param n_bad  dropped records
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_finish(fasta_parse_t *p, int64_t *n_bad, seqset_t **out) MUST_CHECK;

/* @return a digest of the whole header of each record in the set; valid until destroyed
 */
const uint64_t *fasta_parse_headers(const fasta_parse_t *p);

/* Takes NULL. */
void fasta_parse_destroy(fasta_parse_t *p);

#endif
