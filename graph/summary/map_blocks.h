/*
 * map_blocks.h - the largest OTUs, chosen so that their pairs fill a heat map.
 *
 * In a file of hits almost all pairs of different OTUs are missing: a map of all
 * sequences would be empty but for its diagonal.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_MAP_BLOCKS_H
#define RIBOGRID_GRAPH_SUMMARY_MAP_BLOCKS_H

#include "io/otu/otu_table.h"

/* Pairs of a map are at least this fraction of it: 1 / MAP_BLOCKS_FILL. */
enum { MAP_BLOCKS_FILL = 10 };

/* An OTU at positions begin .. end - 1 of the order. */
typedef struct {
    int64_t otu, begin, end;
} map_block_t;

typedef struct {
    int32_t *order; /* [n] sequences, OTU by OTU */
    int64_t n;
    map_block_t *blocks; /* [n_blocks] in order, without gaps */
    int64_t n_blocks;
} map_blocks_t;

/*
 * Choose OTUs, those with most sequences first, while pairs within them are at least a
 * tenth of all pairs shown, or until they have a minimum of sequences.
 *
 * @param order          [sequences] an order of all; OTUs follow each other as their
 *                       first sequences do, and each keeps the order of its sequences
 * @param min_sequences  shown if the OTUs have as many
 * @param out            release with map_blocks_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t map_blocks_make(const otu_table_t *table, const int32_t *order,
                         int64_t min_sequences, map_blocks_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void map_blocks_free(map_blocks_t *b);

#endif
