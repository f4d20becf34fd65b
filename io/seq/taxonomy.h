/*
 * taxonomy.h - lineages of sequences, as a tree of taxa.
 *
 * Formats, plain or gzip:
 *   - name TAB lineage, as "AJ000684  Bacteria;Actinobacteria" or "k__Bacteria; p__...";
 *   - .taxonomy of mothur: lineages end with ';', supports such as "(100)" are optional;
 *   - taxonomy.tsv of QIIME 2, recognised by its header "Feature ID  Taxon ...", and
 *     tables of `ribogrid taxonomy` and `ribogrid classify`, by theirs;
 *   - FASTA, recognised by '>', with lineages in the headers: those of RDP, SILVA and
 *     SINTAX, and others of a name, blanks and a lineage (lineage.h).
 * A lineage is a list of names from the highest rank down, separated by ';'.  It ends at
 * a rank without a name after its prefix, as "g__".  Ranks count from 1; the root has
 * rank 0.  Lineages may have different numbers of ranks.
 */
#ifndef RIBOGRID_IO_SEQ_TAXONOMY_H
#define RIBOGRID_IO_SEQ_TAXONOMY_H

#include "io/base/buf.h"

#include <stdint.h>

/* The root of the tree, with an empty lineage. */
enum { TAXONOMY_ROOT = 0 };

typedef struct taxonomy taxonomy_t;

/*
 * Read a table or FASTA headers.
 *
 * A line without tab, name or lineage, a rank without a name, surplus columns, and a name
 * that has two different lineages are errors, and so is a header without a lineage.
 *
 * @param path  a file, or "-" for stdin
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t taxonomy_read(const char *path, taxonomy_t **out) MUST_CHECK;

/* Takes NULL. */
void taxonomy_destroy(taxonomy_t *t);

/* @return the number of sequences with a lineage */
int64_t taxonomy_n(const taxonomy_t *t);

/* @return the number of taxa including the root; parents have lower numbers than their
 *         children */
int32_t taxonomy_n_taxa(const taxonomy_t *t);

/* @return the lowest taxon of a sequence's lineage, or -1 if the name is unknown.  Of
 *         "NAME;tax=..." NAME is enough */
int32_t taxonomy_find(const taxonomy_t *t, const char *name);

/* @return the name of a taxon, borrowed; empty for the root */
const char *taxonomy_name(const taxonomy_t *t, int32_t taxon);

/* @return the rank of a taxon: the number of names in its lineage */
int taxonomy_rank(const taxonomy_t *t, int32_t taxon);

/* @return the ancestor at this rank, or -1 if the taxon stands above it */
int32_t taxonomy_ancestor(const taxonomy_t *t, int32_t taxon, int rank);

/* @return the rank of phyla: 2, or 3 where every lineage starts with "Root" */
int taxonomy_phylum_rank(const taxonomy_t *t);

/* Append a lineage, its names separated by `separator`. @return ST_OK or ST_ENOMEM */
status_t taxonomy_append(const taxonomy_t *t, int32_t taxon, const char *separator,
                         buf_t *out) MUST_CHECK;

#endif
