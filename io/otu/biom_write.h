/*
 * biom_write.h - an OTU table in the Biological Observation Matrix format, version 2.1
 * (HDF5; biom-format.org).
 */
#ifndef RIBOGRID_IO_OTU_BIOM_WRITE_H
#define RIBOGRID_IO_OTU_BIOM_WRITE_H

#include "io/otu/otu_table.h"

/*
 * Write the file, which is made or emptied.
 *
 * @param program  the root attribute generated-by
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t biom_write(const char *path, const otu_table_t *table,
                    const char *program) MUST_CHECK;

#endif
