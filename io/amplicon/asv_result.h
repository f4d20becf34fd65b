/*
 * asv_result.h - the result of `denoise`, amplicon sequence variants (ASVs), as an HDF5
 * file (docs/file-format.md), as lines of text, and its ASVs as FASTA.
 */
#pragma once

#include "io/base/pool.h"
#include "io/otu/otu_table.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

#include <stdbool.h>
#include <stdio.h>

extern const result_kind_t asv_result_kind;

/* Names of ASVs are this and a number. */
#define ASV_RESULT_PREFIX "Asv"

/* A file in memory; what was read is freed by asv_result_free. */
typedef struct {
    char **names;        /* [table->n] of the reads */
    int64_t *size;       /* [table->n] abundances */
    int32_t *mismatches; /* [table->n] with the ASV's centroid; -1: left out */
    otu_table_t *table;  /* OTUs are ASVs, and their representatives the centroids */
    char **samples;      /* [table->n_samples] */
    seqset_t *asvs;      /* [table->n_otus] with the names of ASVs */

    run_info_t info;
    char *job; /* lines "name=value": all that the content depends on */
} asv_result_t;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param r      names, samples and asvs are not read
 * @param reads  [table->n] their names and bases
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t asv_result_write(const char *path, bool force, const asv_result_t *r,
                          const seqset_t *reads, pool_t *pool) MUST_CHECK;

/* Read and check a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t asv_result_read(const char *path, asv_result_t *out) MUST_CHECK;

/* Free what was read; takes a zeroed one, too. */
void asv_result_free(asv_result_t *r);

/* ---- text; who gives a stream checks it for errors ---- */

/*
 * Print a line per read: its name, its abundance, its ASV, and its mismatches with the
 * centroid of that; "NA" twice: it was left out.
 *
 * @param has_header  whether to print the names of the columns
 */
void asv_lines_print(const asv_result_t *r, bool has_header, FILE *to);

/* Print ASVs as FASTA: ">ASV CENTROID", or with sizes ">ASV;size=ABUNDANCE CENTROID". */
void asv_fasta_print(const asv_result_t *r, bool has_sizes, FILE *to);
