/*
 * otu_source.h - the OTUs that a report shows.
 */
#ifndef RIBOGRID_TOOLS_PRINT_OTU_SOURCE_H
#define RIBOGRID_TOOLS_PRINT_OTU_SOURCE_H

#include "io/otu/otu_groups.h"
#include "io/report/report_data.h"
#include "tools/options/cluster_args.h"

#include <stdio.h>

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

/* List the OTU of each sequence, from 0; -1: none. @param out  [sequences] */
void otu_source_label(const otu_source_t *source, int32_t *out);

/* Write how the OTUs were found, as lines "report TAB name TAB value". */
void otu_source_describe(const otu_source_t *source, FILE *to);

/* Takes a zeroed one, too. */
void otu_source_free(otu_source_t *source);

#endif
