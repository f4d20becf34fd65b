/*
 * otu_write.h - OTUs as text: tables, lists of members, representatives.
 *
 * A failed write sets the stream's error (ferror), which the caller checks.
 */
#ifndef RIBOGRID_IO_OTU_OTU_WRITE_H
#define RIBOGRID_IO_OTU_OTU_WRITE_H

#include "io/otu/otu_taxa.h"

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

/* Write the representatives as FASTA: ">OTU;size=ABUNDANCE NAME" and the bases. */
void otu_write_fasta(FILE *file, const otu_table_t *table, const seqset_t *set);

#endif
