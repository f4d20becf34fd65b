/*
 * chimera_result.h - the result of `chimeras`: as an HDF5 file (docs/file-format.md), as
 * lines of text, and its reads as FASTA.
 */
#pragma once

#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"
#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdio.h>

extern const result_kind_t chimera_result_kind;

/* Values of /reads/call. */
enum { CHIMERA_RESULT_CALLS = 3 }; /* no, borderline, yes */

/* Values of a row of /reads/matches and of /reads/votes; with the model first, and left
 * yes, no and abstain before those on the right. */
enum { CHIMERA_RESULT_MATCHES = 4, CHIMERA_RESULT_VOTES = 6 };

/* A file in memory; what was read is freed by chimera_result_free. */
typedef struct {
    int64_t n;            /* reads */
    char *names;          /* of the reads, each with its final NUL */
    int64_t *name_offset; /* [n + 1] */
    int64_t *size;        /* [n] NULL: there are no abundances */
    uint8_t *call;        /* [n] */
    double *score;        /* [n] h */
    int32_t *parent;      /* [n][2] A and B, or -1: there are none */
    int32_t *columns;     /* [n] that count, 0 without parents */
    int32_t *matches;     /* [n][4] */
    int32_t *votes;       /* [n][6] */

    int64_t n_parents;
    char *parent_names; /* with ";size=N" if they are reads */
    int64_t *parent_name_offset;

    run_info_t info;
    const char *job; /* lines "name=value": all that the content depends on */
} chimera_result_t;

/* Allocate what belongs to reads, but for names and sizes.
 * @return ST_OK or ST_ENOMEM (logged); the caller frees it */
status_t chimera_result_create(int64_t n, chimera_result_t *out) MUST_CHECK;

/* Free what create has allocated. */
void chimera_result_destroy(chimera_result_t *r);

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t chimera_result_write(const char *path, bool force, const chimera_result_t *r,
                              pool_t *pool) MUST_CHECK;

/* Read and check a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t chimera_result_read(const char *path, chimera_result_t *out) MUST_CHECK;

/* Free what was read. */
void chimera_result_free(chimera_result_t *r);

/* Of each call the reads, and their abundances: 1 where there are none. */
typedef struct {
    int64_t n[CHIMERA_RESULT_CALLS], sizes[CHIMERA_RESULT_CALLS];
} chimera_counts_t;

chimera_counts_t chimera_result_count(const chimera_result_t *r);

/* ---- text; who gives a stream checks it for errors ---- */

/*
 * Print a line per read, as vsearch --uchimeout: score, read, parents A and B, the closer
 * one; identities in percent of the read with the model, A, B, of A with B, of the read
 * with the closer parent; votes on the left (yes, no, abstain) and on the right;
 * divergence; Y, ? or N.
 *
 * @param has_header  whether to print the names of the columns
 */
void chimera_lines_print(const chimera_result_t *r, bool has_header, FILE *to);

/*
 * Print the reads with a call as FASTA, with ";size=N" if there are abundances.
 *
 * @param set  the sequences of the reads
 * @return ST_OK or ST_EIO (not logged)
 */
status_t chimera_fasta_print(const chimera_result_t *r, const seqset_t *set, int call,
                             FILE *to) MUST_CHECK;
