/*
 * biom_write.h - writing an OTU table in the Biological Observation Matrix format (BIOM),
 * version 2.1: HDF5, see biom-format.org.
 */
#pragma once

#include "io/otu/otu_taxa.h"

#include <stdio.h>

/*
 * Create or replace the file.
 *
 * @param taxa     NULL, or lineages: the OTUs' metadata "taxonomy"
 * @param program  the root attribute generated-by
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (more counts than BIOM can index)
 */
status_t biom_write(const char *path, const otu_table_t *table, const otu_taxa_t *taxa,
                    const char *program) MUST_CHECK;

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
