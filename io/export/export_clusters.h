/*
 * export_clusters.h - clusters in the uc format: their centroids, their members with the
 * identity to the centroid, and their sizes.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_CLUSTERS_H
#define RIBOGRID_IO_EXPORT_EXPORT_CLUSTERS_H

#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"

#include <stdio.h>

/*
 * Write the OTUs of a file's sequences: for each an S record, its representative, and an
 * H record per other member; then a C record per OTU.
 *
 * Identity and alignment of a member are those of its pair with the representative; '*'
 * where the file does not hold that pair, or holds no alignments.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t export_clusters_uc(const pairs_file_t *file, const otu_table_t *table,
                            FILE *to) MUST_CHECK;

#endif
