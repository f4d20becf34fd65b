/*
 * biom_write.h - writing an OTU table in the Biological Observation Matrix format (BIOM),
 * version 2.1: HDF5, see biom-format.org.
 */
#ifndef RIBOGRID_IO_OTU_BIOM_WRITE_H
#define RIBOGRID_IO_OTU_BIOM_WRITE_H

#include "io/otu/otu_table.h"

/*
 * Create or replace the file.
 *
 * @param program  the root attribute generated-by
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (more counts than BIOM can index)
 */
status_t biom_write(const char *path, const otu_table_t *table,
                    const char *program) MUST_CHECK;

#endif
