/*
 * biom_write.h - writing an OTU table in the Biological Observation Matrix format (BIOM),
 * version 2.1: HDF5, see biom-format.org.
 */
#pragma once

#include "io/file/whole_file.h"
#include "io/otu/otu_taxa.h"

#include <stdio.h>

/*
 * Write a file of HDF5.
 *
 * @param taxa     NULL, or lineages: the OTUs' metadata "taxonomy"
 * @param program  the root attribute generated-by
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (more counts than BIOM can index)
 */
status_t biom_write(const whole_file_t *to, const otu_table_t *table,
                    const otu_taxa_t *taxa, const char *program) MUST_CHECK;

/* Writing an OTU table as BIOM 1.0: JSON, see biom-format.org. */

/*
 * Write the table, sparse.  A failed write sets the stream's error (ferror), which the
 * caller checks.
 *
 * @param taxa     NULL, or lineages: the OTUs' metadata "taxonomy"
 * @param program  generated_by
 */
void biom_json_write(FILE *file, const otu_table_t *table, const otu_taxa_t *taxa,
                     const char *program);
