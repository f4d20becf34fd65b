/*
 * report_parts.h - what `ribogrid report` of pairs and of names draws.
 */
#pragma once

#include "graph/summary/composition.h"
#include "graph/summary/heat_map.h"
#include "io/otu/otu_groups.h"
#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"
#include "io/report/report_data.h"
#include "io/seq/taxonomy.h"
#include "tools/options/cluster_args.h"
#include "tools/print/file_printers.h"

#include <stdbool.h>
#include <stdio.h>

/* otu_source.c: the OTUs that a report shows. */

typedef struct {
    report_otus_t otus;     /* what the page shows; points into what follows */
    otu_groups_head_t head; /* how they were found */
    const char *path;       /* the groups file, borrowed; NULL: clustered */
    otu_table_t *table;     /* NULL: that of the groups */
    otu_groups_t groups;
} otu_source_t;

/*
 * Find OTUs exactly as `ribogrid cluster` does.
 *
 * @param args  settled
 * @param out   release with otu_source_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t otu_source_cluster(const cluster_args_t *args, const pairs_file_t *file,
                            otu_source_t *out) MUST_CHECK;

/*
 * Read the OTUs of a groups file, which must be those of the given file's sequences.
 *
 * @param path  borrowed until otu_source_free
 * @param out   release with otu_source_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t otu_source_read(const char *path, const pairs_file_t *file,
                         otu_source_t *out) MUST_CHECK;

/* @return the identity of OTUs where none is given: the lowest one from 97 % at which a
 *         file holds all pairs */
fraction_t otu_source_default_id(const pairs_file_t *file);

/* @return the table, owned by the source */
const otu_table_t *otu_source_table(const otu_source_t *source);

/* Write how the OTUs were found, as lines "report TAB name TAB value". */
void otu_source_describe(const otu_source_t *source, FILE *to);

/* Takes a zeroed one, too. */
void otu_source_free(otu_source_t *source);

/* The largest OTUs of a report: members, representatives, lineages,
 * samples. */

/* How many are shown. */
enum { OTU_LARGEST_MAX = 20 };

typedef struct {
    report_otu_t rows[OTU_LARGEST_MAX];
    char *lineages[OTU_LARGEST_MAX]; /* NULL: none */
    int64_t *counts;                 /* of samples */
    pairs_samples_t samples;
} otu_largest_t;

/*
 * Describe the largest OTUs of a file's sequences.
 *
 * @param table     of the sequences, or closed-reference OTUs of the queries
 * @param taxonomy  NULL: no lineages
 * @param taxa      [n] the taxon of each sequence, or of its reference; -1: none
 * @param show      its members on the largest OTUs are set; they point into out
 * @param out       zeroed; release with otu_largest_free, also after an error
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t otu_largest_find(const otu_table_t *table, const pairs_file_t *file,
                          const taxonomy_t *taxonomy, const int32_t *taxa,
                          report_otus_t *show, otu_largest_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void otu_largest_free(otu_largest_t *largest);

/* report_map.c: the heat map of a report: its sequences, their order, names, labels. */

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

/* report_against.c: `ribogrid report` of queries against references: best hits and taxa.
 */

/* What is wanted; NULL: not given. */
typedef struct {
    file_report_t page;
    const char *taxonomy; /* of the references */
    const char *rank;     /* of the taxa shown */
    fraction_t id;        /* of the OTUs; denominator 0: otu_source_default_id */
} report_against_t;

/*
 * Write the page.
 *
 * @param file  of queries against references
 * @return ST_OK, ST_EUSAGE (no such rank), ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t report_against(const report_against_t *how, const pairs_file_t *file) MUST_CHECK;

/* report_names.c: `ribogrid report` of the names that `classify` has given to reads: the
 * composition of samples. */

typedef struct {
    file_report_t page;
    const char *rank;                  /* as the user gave it; NULL: genus */
    const char *samples, *count_table; /* NULL: not given */
    abundance_labels_t labels;
} report_names_t;

/* Find out whether a file holds such names. @return ST_OK or ST_EINPUT (logged) */
status_t report_names_probe(const char *path, bool *are_in) MUST_CHECK;

/* Parse --rank. @return ST_OK or ST_EUSAGE (logged) */
status_t report_names_rank(const char *text, composition_rank_t *out) MUST_CHECK;

/* Draw the page. @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (the rank;
 * logged) */
status_t report_names(const report_names_t *r) MUST_CHECK;
