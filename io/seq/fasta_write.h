/*
 * fasta_write.h - writes a set of sequences as FASTA.
 */
#ifndef RIBOGRID_IO_SEQ_FASTA_WRITE_H
#define RIBOGRID_IO_SEQ_FASTA_WRITE_H

#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Write every sequence: ">name", then upper-case letters, 80 per line, in DNA T for U.
 * The file is flushed and stays open.
 *
 * @return ST_OK or ST_EIO (logged)
 */
status_t fasta_write_set(FILE *file, const seqset_t *set) MUST_CHECK;

/*
 * Write one record.
 *
 * @param codes  [len] codes of alphabet.h
 * @return whether it was written; errors are not logged
 */
bool fasta_write_record(FILE *file, const char *header, alphabet_t alphabet,
                        const uint8_t *codes, int64_t len) MUST_CHECK;

#endif
