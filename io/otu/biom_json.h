/*
 * biom_json.h - writing an OTU table as BIOM 1.0: JSON, see biom-format.org.
 */
#ifndef RIBOGRID_IO_OTU_BIOM_JSON_H
#define RIBOGRID_IO_OTU_BIOM_JSON_H

#include "io/otu/otu_taxa.h"

#include <stdio.h>

/*
 * Write the table, sparse.  A failed write sets the stream's error (ferror), which the
 * caller checks.
 *
 * @param taxa     NULL, or lineages: the OTUs' metadata "taxonomy"
 * @param program  generated_by
 */
void biom_json_write(FILE *file, const otu_table_t *table, const otu_taxa_t *taxa,
                     const char *program);

#endif
