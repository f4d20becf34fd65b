/*
 * reads_write.h - writes parts of reads as FASTA or FASTQ, plain or as gzip.
 */
#pragma once

#include "io/base/pool.h"
#include "io/reads/reads.h"

#include <stdio.h>

/* What is written of a read: bases begin .. end - 1. */
typedef struct {
    int32_t begin, end;
    bool is_reversed; /* the reverse complement of these */
} read_part_t;

typedef struct reads_writer reads_writer_t;

/* @return whether a file name asks for gzip: it ends with .gz */
bool reads_write_is_packed(const char *path);

/* @return whether it asks for a compression that is only read */
bool reads_write_is_refused(const char *path);

/* @return whether a file name asks for FASTA (.fa, .fasta or .fna), or for FASTQ (.fq or
 * .fastq), before a .gz */
bool reads_write_is_fasta(const char *path);
bool reads_write_is_fastq(const char *path);

/*
 * Begin a file: FASTQ where the reads are, unless its name asks for FASTA.
 *
 * @param path   NULL: nothing is written, and the writer is NULL
 * @param force  replace an existing file
 * @param pool   for compression; borrowed until reads_writer_close; NULL: the caller
 * alone
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t reads_writer_open(const char *path, bool force, bool are_fastq, pool_t *pool,
                           reads_writer_t **out) MUST_CHECK;

/* Write a part of a read with its whole header. @param w  NULL: nothing is written
 * @return ST_OK, ST_ENOMEM or ST_EIO (logged) */
status_t reads_writer_add(reads_writer_t *w, const reads_t *reads, int64_t i,
                          read_part_t part) MUST_CHECK;

/*
 * End the file, and give it its name if st and all writes are ST_OK; otherwise it is
 * removed.
 *
 * @param label  called before that with the stream, for file_label.h; may be NULL
 * @param w      NULL: nothing is done
 * @return st, or an error (logged)
 */
status_t reads_writer_close(reads_writer_t *w, status_t st,
                            status_t (*label)(const void *ctx, FILE *to),
                            const void *ctx) MUST_CHECK;
