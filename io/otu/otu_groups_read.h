/*
 * otu_groups_read.h - reading PREFIX.groups.h5, checked as it is read.
 */
#ifndef RIBOGRID_IO_OTU_OTU_GROUPS_READ_H
#define RIBOGRID_IO_OTU_OTU_GROUPS_READ_H

#include "io/otu/otu_groups.h"

/*
 * Read a file.
 *
 * Members ascend within an OTU and agree with the OTU of each sequence; abundances do not
 * increase from OTU to OTU, and have a sum.
 *
 * @param out  release with otu_groups_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t otu_groups_read(const char *path, otu_groups_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void otu_groups_free(otu_groups_t *groups);

#endif
