/*
 * report_map.h - the heat map of a report: its sequences, their order, names, labels.
 */
#ifndef RIBOGRID_TOOLS_PRINT_REPORT_MAP_H
#define RIBOGRID_TOOLS_PRINT_REPORT_MAP_H

#include "graph/summary/heat_map.h"
#include "io/otu/otu_table.h"

typedef struct {
    report_heat_map_t shown; /* what the page shows; points into what follows */
    int32_t *order;          /* [shown.n] */
    int32_t *taxa;           /* [sequences] of the representatives of their OTUs */
    map_blocks_t blocks;
    heat_map_t cells;
    taxon_strips_t strips;
    taxon_labels_t labels;
    const char **names, **lowest; /* [shown.n] */
} report_map_t;

/*
 * Make the map: of all sequences; or of the largest OTUs, if a file of hits has less than
 * a tenth of all pairs.
 *
 * @param order     [sequences] an order of all, in which those of one lineage stay
 * @param table     their OTUs
 * @param taxonomy  NULL: none; else sequences are in its order
 * @param taxa      [sequences] the taxon of each, -1: none
 * @param out       zeroed; release with report_map_free, also after an error
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t report_map_make(const pairs_file_t *file, const int32_t *order,
                         const otu_table_t *table, const taxonomy_t *taxonomy,
                         const int32_t *taxa, report_map_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void report_map_free(report_map_t *map);

#endif
