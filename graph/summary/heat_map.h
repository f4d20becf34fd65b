/*
 * heat_map.h - mean identities of blocks of pairs, for a heat map of a result file.
 *
 * Rows and columns of the map divide an order of sequences, all or some, into equal
 * ranges.
 */
#pragma once

#include "io/otu/otu_table.h"
#include "io/pairs/pairs_scan.h"
#include "io/report/report_data.h"
#include "io/seq/taxonomy.h"

typedef struct {
    int side;
    double *mean; /* [side x side] mean identity of the cell's pairs; NAN: none has one */
    double
        *coverage; /* [side x side] fraction of the cell's pairs that have an identity */
} heat_map_t;

/*
 * Average the identities of the pairs of some sequences, cell by cell.
 *
 * A cell on the diagonal that holds a single sequence stands for that sequence compared
 * with itself: mean and coverage are 1.
 *
 * @param order  [n] sequences of the file, each once, in the order of rows and columns
 * @param side   cells along each side, at most n
 * @param out    release with heat_map_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t heat_map_make(const pairs_file_t *file, const int32_t *order, int64_t n,
                       int side, heat_map_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void heat_map_free(heat_map_t *map);

/* The largest OTUs, chosen so that their pairs fill a heat map.
 *
 * In a file of hits almost all pairs of different OTUs are missing: a map of all
 * sequences would be empty but for its diagonal. */

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

/* taxon_order.c: orders sequences by their lineages. */

/*
 * Sort sequences by lineage.  At each rank, the taxon with the most sequences comes
 * first; equal ones are sorted by name.  Sequences whose lineage ends at a rank follow
 * the others there; sequences without a lineage are last.  Within a lineage the given
 * order is kept.
 *
 * @param taxa   [n] by sequence; -1: without a lineage
 * @param order  [n] the sequences, sorted in place
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_order_sort(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                          int32_t *order) MUST_CHECK;

/* Runs of neighbouring sequences of one phylum, for the strips beside a
 * heat map. */

typedef struct {
    report_strip_t *strips; /* [n_strips] in order, without gaps; names are borrowed from
                             * the taxonomy */
    int n_strips;
    int n_phyla; /* strips that are a phylum with a name */
} taxon_strips_t;

/*
 * Divide an order of sequences into strips.
 *
 * A strip is named after its phylum, without a prefix such as "p__".  Where a lineage
 * ends above the rank of phyla, it is named after the lineage's lowest taxon.
 *
 * @param taxa   [n] by sequence; -1: without a lineage
 * @param order  [n] the sequences, as taxon_order_sort leaves them
 * @param out    release with taxon_strips_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_strips_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, taxon_strips_t *out) MUST_CHECK;

/* @return the name of a taxon without a prefix such as "p__", borrowed; it may be empty
 */
const char *taxon_strips_plain_name(const taxonomy_t *t, int32_t taxon);

/* Takes a zeroed one, too. */
void taxon_strips_free(taxon_strips_t *s);

/* Names of taxa beside a heat map, of the lowest ranks that have room. */

typedef struct {
    report_label_t *labels; /* [n] names are borrowed from the taxonomy */
    int64_t n;
} taxon_labels_t;

/*
 * @return the genus of a species, which may be named by its epithet alone ("s__coli");
 *         any other taxon itself.  A species has the prefix "s__", or is five ranks below
 *         a phylum and begins with a small letter.
 */
int32_t taxon_labels_genus(const taxonomy_t *t, int32_t taxon);

/*
 * Label runs of neighbouring sequences of one taxon.
 *
 * A run of the lowest rank from genera upwards is labelled if it has min_run sequences;
 * then one of the next higher rank, if no label is within it; and so on up to the phyla.
 *
 * @param taxa   [sequences] -1: without a lineage
 * @param order  [n] the sequences, as taxon_order_sort leaves them
 * @param out    release with taxon_labels_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t taxon_labels_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, int64_t min_run, taxon_labels_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void taxon_labels_free(taxon_labels_t *l);
