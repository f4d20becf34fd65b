/*
 * taxonomy.h - lineages of sequences, as a tree of taxa.
 *
 * Read, plain or gzip, are:
 *   name TAB lineage, "AJ000684  Bacteria;Actinobacteria;..." (also "k__Bacteria;
 * p__..."); mothur's .taxonomy, whose lineages end with ';', with supports "(100)" or
 * without; QIIME 2's taxonomy.tsv, known by its header "Feature ID  Taxon ...". A lineage
 * is names from the highest rank down, ';' between them.  Ranks count from 1, the root
 * above them is rank 0; lineages may have different numbers of ranks.
 */
#ifndef RIBOGRID_IO_SEQ_TAXONOMY_H
#define RIBOGRID_IO_SEQ_TAXONOMY_H

#include "io/base/buf.h"

#include <stdint.h>

/* What every taxon stands below: a lineage without names. */
enum { TAXONOMY_ROOT = 0 };

typedef struct taxonomy taxonomy_t;

/*
 * Read a table.
 *
 * A line that is none (no tab, no name, no lineage, a rank without a name, columns too
 * many, a name again with another lineage) is an error, said in one line.
 *
 * @param path  a file, or "-" for stdin
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t taxonomy_read(const char *path, taxonomy_t **out) MUST_CHECK;

/* Takes NULL. */
void taxonomy_destroy(taxonomy_t *t);

/* @return the number of sequences with a lineage */
int64_t taxonomy_n(const taxonomy_t *t);

/* @return the number of taxa, the root among them: they are 0 .. this - 1, parents before
 * their children */
int32_t taxonomy_n_taxa(const taxonomy_t *t);

/* @return the lowest taxon of a sequence's lineage, or -1 if the table lacks the name */
int32_t taxonomy_find(const taxonomy_t *t, const char *name);

/* @return a taxon's own name, the table's; the root's is empty */
const char *taxonomy_name(const taxonomy_t *t, int32_t taxon);

/* @return the number of names in its lineage; the root's is 0 */
int taxonomy_rank(const taxonomy_t *t, int32_t taxon);

/* @return the taxon of that rank in the lineage, or -1 if the lineage ends above it */
int32_t taxonomy_ancestor(const taxonomy_t *t, int32_t taxon, int rank);

/* @return the rank of phyla: 2, or 3 where every lineage starts with "Root" */
int taxonomy_phylum_rank(const taxonomy_t *t);

/* Append a lineage, `between` between its names. @return ST_OK or ST_ENOMEM */
status_t taxonomy_append(const taxonomy_t *t, int32_t taxon, const char *between,
                         buf_t *out) MUST_CHECK;

#endif
