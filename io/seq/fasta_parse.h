/*
 * fasta_parse.h - makes records of FASTA text that comes in pieces.
 *
 * Feed the text piece by piece, then finish.  Only the record in hand is held besides the
 * set that is being built.  fasta.h says what is taken and what is refused.
 */
#ifndef RIBOGRID_IO_SEQ_FASTA_PARSE_H
#define RIBOGRID_IO_SEQ_FASTA_PARSE_H

#include "io/seq/fasta.h"

typedef struct fasta_parse fasta_parse_t;

/*
 * @param shown  how messages name the input; borrowed until destroyed
 * @param opts   borrowed until destroyed
 * @return ST_OK or ST_ENOMEM
 */
status_t fasta_parse_create(const char *shown, const fasta_opts_t *opts,
                            fasta_parse_t **out) MUST_CHECK;

/*
 * Take the next piece of text.
 *
 * @param text  [len] bytes; lines and records may be cut anywhere
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_feed(fasta_parse_t *p, const unsigned char *text,
                          size_t len) MUST_CHECK;

/*
 * End the text: check the last record, say what was dropped, and make the set.
 *
 * @param n_bad  records dropped
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t fasta_parse_finish(fasta_parse_t *p, int64_t *n_bad, seqset_t **out) MUST_CHECK;

void fasta_parse_destroy(fasta_parse_t *p);

#endif
