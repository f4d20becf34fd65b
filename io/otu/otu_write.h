/*
 * otu_write.h - OTUs as text: tables, lists of members, representatives.
 *
 * A failed write sets the stream's error (ferror), which the caller checks.
 */
#pragma once

#include "io/otu/otu_closed.h"
#include "io/otu/otu_groups.h"
#include "io/otu/otu_taxa.h"

#include <stdbool.h>
#include <stdio.h>

/* Write the table as TSV: "#OTU ID" and the samples, then one line per OTU.  Tabs and
 * line ends in a sample's name become '_', with one warning.
 * @param taxa  NULL, or lineages: the last column is then "taxonomy", as BIOM's tools
 * read it, "Bacteria; Bacilli" */
void otu_write_tsv(FILE *file, const otu_table_t *table, const otu_taxa_t *taxa);

/* The OTUs at an identity. */
typedef struct {
    const otu_table_t *table;
    fraction_t id;
} otu_list_row_t;

/*
 * Write the members as mothur's .list: a line of headings, then a line per clustering:
 * the label (1 - id), the number of OTUs, and the records of each OTU, separated by
 * commas.
 *
 * The headings are the names of the OTUs of the clustering that has most.  Commas and
 * blanks in a name become '_', with one warning.  Another one tells if several records
 * have the same name.
 *
 * @param rows  [n] clusterings of the same sequences
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_write_list(FILE *file, const otu_list_row_t *rows, int n,
                        const pairs_members_t *members) MUST_CHECK;

/* Write the OTU of each record: name TAB OTU, one line per record that is in an OTU.
 * Tabs and line ends in a name become '_', with one warning. */
void otu_write_map(FILE *file, const otu_table_t *table, const pairs_members_t *members);

/* Write the counts as mothur's .shared: a line of headings, then one line per sample: the
 * label (1 - id), the sample, the number of OTUs, and the count of each.  Blanks in a
 * sample's name become '_', with one warning. @return ST_OK or ST_ENOMEM */
status_t otu_write_shared(FILE *file, const otu_table_t *table,
                          const fraction_t *id) MUST_CHECK;

/* Write the lineages as mothur's .cons.taxonomy: OTU, abundance, "Bacteria;Bacilli;".
 * Blanks in a name become '_'. */
void otu_write_constaxonomy(FILE *file, const otu_table_t *table, const otu_taxa_t *taxa);

/* Write the representatives as FASTA: ">OTU NAME", or with sizes ">OTU;size=ABUNDANCE
 * NAME", and the bases. */
void otu_write_fasta(FILE *file, const otu_table_t *table, const seqset_t *set,
                     bool has_sizes);

/* The files that `ribogrid cluster` writes: all of them, or none.
 *
 * PREFIX.otus.tsv, PREFIX.biom, PREFIX.reps.fasta, PREFIX.list, PREFIX.groups.h5.  Of
 * several clusterings, at other identities, each has files named by it, such as
 * PREFIX.0.97.biom, but they share one list, as in mothur.  Closed-reference OTUs have
 * PREFIX.otus.tsv, PREFIX.biom, PREFIX.map.tsv and PREFIX.unmatched.fasta. */

typedef struct {
    otu_groups_head_t head;
    const otu_table_t *table;
    const seqset_t *set; /* all sequences */
    const pairs_members_t *members;
    const otu_taxa_t *taxa;     /* NULL: none */
    const otu_closed_t *closed; /* NULL: the OTUs are clusters */
    bool has_sizes;             /* FASTA has ";size=N" */
} otu_files_t;

/* Check that the files can be written, before the work starts; without force an existing
 * file is an error, and so is a prefix that is a directory.
 * @param is_closed  whether the OTUs are references
 * @param ids        of the clusterings, all different
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t otu_files_check(const char *prefix, bool force, bool is_closed,
                         const fraction_list_t *ids) MUST_CHECK;

/* Call a function for the path of each file, until it fails; parameters as of
 * otu_files_check. @return ST_OK, ST_ENOMEM, or what the function returned */
status_t otu_files_each(const char *prefix, bool is_closed, const fraction_list_t *ids,
                        status_t (*fn)(void *ctx, const char *path),
                        void *ctx) MUST_CHECK;

/* Write all files, then give them their names.
 * @param files  [n] clusterings of the same sequences, n at most FRACTION_LIST_MAX; all
 *               of one kind
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT */
status_t otu_files_write(const char *prefix, bool force, const otu_files_t *files,
                         int n) MUST_CHECK;
