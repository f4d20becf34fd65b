/*
 * fasta.h - reads FASTA of nucleotides or proteins, or FASTQ: plain or compressed, from a
 * file or stdin.
 *
 * Accepted are CRLF or LF, a byte order mark, blank lines, wrapped or one-line sequences,
 * blanks within them, either case, U for T in DNA, and a missing final newline.  A name
 * is the header up to its first blank or tab, or all of it; blanks directly after '>' are
 * ignored. Names are clean (utf8.h): other bytes are escaped.  Of FASTQ (file/fastq.h),
 * qualities are dropped, which one message says, and letters are nucleotides unless the
 * alphabet is set.
 */
#pragma once

#include "io/seq/seq_files.h"
#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdio.h>

enum { FASTA_NAME_BYTES = 65535 };

typedef struct {
    alphabet_t alphabet; /* AUTO: guessed from the beginning of the file */
    bool skip_bad;       /* drop invalid records and count them */
    bool degap;          /* remove '.' and '-' from the sequences */
    bool full_names;  /* a name is the whole header without blanks at its end; tabs in it
                       * become blanks */
    bool is_dna_only; /* the command has no --alphabet that messages could name */
    bool of_references; /* messages name --skip-bad-references and --degap-references */
} fasta_opts_t;

typedef struct {
    int64_t n_bad;       /* records dropped under skip_bad */
    int64_t n_same_name; /* records whose name occurred before */
    int64_t n_cut_name;  /* of these, records whose whole header differs */
} fasta_report_t;

/*
 * Read every record of a file.
 *
 * Errors are: a byte that is not a letter of the alphabet, a record without any, without
 * a name or with one of more than FASTA_NAME_BYTES, text before the first header, and
 * input that is not FASTA, or malformed FASTQ.  The message has the file, line, record
 * and remedy.  With skip_bad, all but the last only drop the record (or the text).
 * Repeated names, escaped names and dropped records cause one warning each.
 *
 * @param path    a file, or "-" for stdin
 * @param report  filled on success; may be NULL
 * @param out     the set, of 0 or more sequences; the caller destroys it
 * @return ST_OK, ST_ENOMEM, ST_EIO (read error) or ST_EINPUT (invalid input)
 */
status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out) MUST_CHECK;

/*
 * Read the records of several files into one set, in their order; with AUTO, all have to
 * be of one alphabet.
 *
 * @param files  the beginnings of its files are set
 * @param pool   threads that parse; NULL: the caller alone
 * @return as fasta_read
 */
status_t fasta_read_files(seq_files_t *files, const fasta_opts_t *opts, pool_t *pool,
                          fasta_report_t *report, seqset_t **out) MUST_CHECK;

/* Refuse what looks like nucleotides where E-values are wanted; the user has named no
 * alphabet. @return ST_OK or ST_EINPUT (logged) */
status_t fasta_refuse_nucleotides(const char *label, const seqset_t *set) MUST_CHECK;

/* Log that two files are of different alphabets. @return ST_EINPUT */
status_t fasta_refuse_kinds(const char *path, alphabet_t alphabet, const char *other,
                            alphabet_t other_alphabet);

/* Writes a set of sequences as FASTA. */

/*
 * Write every sequence: ">name", then upper-case letters, 80 per line, in DNA T for U.
 * The file is flushed and stays open.
 *
 * @return ST_OK or ST_EIO (logged)
 */
status_t fasta_write_set(FILE *file, const seqset_t *set) MUST_CHECK;

/*
 * Write one sequence of a set, as fasta_write_set does, but with the header
 * ">NAME;size=N TEXT".
 *
 * @param name  ";size=N" stands before its first blank, if there is one
 * @param size  0: it is left out
 * @param text  NULL: it is left out
 * @return whether it was written; errors are not logged
 */
bool fasta_write_sequence(FILE *file, const char *name, int64_t size, const char *text,
                          const seqset_t *set, int64_t i) MUST_CHECK;
