/*
 * otu_closed.h - closed-reference OTUs: an OTU is a reference, with the queries that are
 * mapped to it.
 */
#pragma once

#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"

#include <stdio.h>

/* The reference that a query is mapped to. */
typedef struct {
    int32_t reference; /* a column of the file; -1: none */
    int32_t matches, columns;
    int32_t strand; /* 1 or -1 */
} otu_hit_t;

/* A mapping of all queries of a file. */
typedef struct {
    const pairs_file_t *file;
    const otu_hit_t *hits; /* [rows of the file] */
} otu_closed_t;

/*
 * Make the table: OTUs have the names of references.
 *
 * @param samples, min_size  as of otu_table_create
 * @param out                borrows names of the file
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_closed_table(const otu_closed_t *closed, const pairs_samples_t *samples,
                          int64_t min_size, otu_table_t **out) MUST_CHECK;

/* Write the reference of each record that has one, whatever the size of its OTU: record,
 * reference, matches, columns, identity and strand, separated by tabs, with a heading. */
void otu_closed_write_map(FILE *to, const otu_closed_t *closed,
                          const pairs_members_t *members);

/* Write the queries without a reference as FASTA, with sizes as ">NAME;size=N".
 * A failed write sets the stream's error (ferror), which the caller checks. */
void otu_closed_write_unmatched(FILE *to, const otu_closed_t *closed,
                                const seqset_t *queries, bool has_sizes);
