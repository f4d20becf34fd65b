/*
 * otu_write.h - OTUs as text: table, list of members, representatives.
 *
 * What cannot be written shows as the stream's error (ferror), which the caller looks at.
 */
#ifndef RIBOGRID_IO_OTU_OTU_WRITE_H
#define RIBOGRID_IO_OTU_OTU_WRITE_H

#include "io/otu/otu_table.h"

#include <stdio.h>

/* The table as TSV: "#OTU ID" and the samples, then a line an OTU.  Tabs and ends of
 * lines in a sample's name are written as '_', and that is said once. */
void otu_write_tsv(FILE *file, const otu_table_t *table);

/*
 * The members as mothur's .list: a line of headings, then the label (1 - id), the number
 * of OTUs, and of each OTU the records, commas between them.
 *
 * Commas and blanks in a name are written as '_', and that is said once, as is a name
 * that several records have.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_write_list(FILE *file, const otu_table_t *table, const fraction_t *id,
                        const pairs_members_t *members) MUST_CHECK;

/* The representatives: ">OTU;size=ABUNDANCE NAME", and the letters. */
void otu_write_fasta(FILE *file, const otu_table_t *table, const seqset_t *set);

#endif
